import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { Filter } from "../filter.ts";
import { queries } from "../queries.ts";

const TYPING_MS = 250;
const ACTIVITIES = { "": "Any", UNUSED: "Unused", USED: "Used" };
const isActivity = (value: string): value is Filter["activity"] => value in ACTIVITIES;

/** Search, vendor and activity. Typed text takes effect after a pause. */
export function FilterBar(props: { readonly filter: Filter; readonly onChange: (filter: Filter) => void }) {
  const { filter, onChange } = props;
  const vendors = useQuery(queries.vendors());
  const [text, setText] = useState(filter.text);
  useEffect(() => setText(filter.text), [filter.text]);
  useEffect(() => {
    if (text === filter.text) return;
    const timer = setTimeout(() => onChange({ ...filter, text }), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text, filter, onChange]);
  return (
    <search className="filters">
      <label>
        Search
        <input
          type="search"
          placeholder="Person, e-mail or plan"
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
      </label>
      <label>
        Vendor
        <select
          value={filter.vendor}
          onChange={({ target }) => onChange({ ...filter, vendor: target.value })}
        >
          <option value="">All</option>
          {vendors.data?.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
      <label>
        Activity
        <select
          value={filter.activity}
          onChange={({ target: { value } }) => isActivity(value) && onChange({ ...filter, activity: value })}
        >
          {Object.entries(ACTIVITIES).map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      </label>
    </search>
  );
}
