import { useMutation, useQuery } from "@tanstack/react-query";
import { type FormEvent, useEffect, useRef } from "react";
import { type Case, completeCase, openCase, openedCases } from "../cases.ts";
import { Problem } from "./problem.tsx";
import type { Draft } from "./types.ts";

/** Opens and completes procurement cases. A change shows at once, and is reverted if the service refuses it. */
export function CasesPanel({ draft }: { readonly draft: Draft | undefined }) {
  const { data: cases = [] } = useQuery(openedCases);
  const { mutate, error } = useMutation(openCase);
  const name = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (draft !== undefined && name.current !== null) {
      name.current.value = draft.name;
      name.current.focus();
    }
  }, [draft]);

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = event.currentTarget;
    const fields = new FormData(form);
    const deadline = String(fields.get("deadline"));
    mutate(
      {
        name: String(fields.get("name")),
        ...(deadline !== "" && { deadline }),
        ...(draft?.baselinePrice !== undefined && {
          baselineType: "LAST_YEAR_COST",
          baselinePrice: draft.baselinePrice,
        }),
      },
      { onSuccess: () => form.reset() },
    );
  }

  return (
    <section className="cases" aria-labelledby="cases">
      <h2 id="cases">Procurement cases</h2>
      <form onSubmit={submit}>
        <label>
          Name
          <input name="name" ref={name} required />
        </label>
        <label>
          Deadline
          <input name="deadline" type="date" />
        </label>
        <Problem error={error} />
        <button type="submit" className="main">
          Open case
        </button>
      </form>
      {cases.length === 0 && <p className="hint">No case was opened on this page yet.</p>}
      <ul aria-label="Opened cases">
        {cases.map((opened) => (
          <CaseItem key={opened.id} opened={opened} />
        ))}
      </ul>
    </section>
  );
}

function CaseItem({ opened }: { readonly opened: Case }) {
  const { mutate, error } = useMutation(completeCase);
  const completed = opened.state === "COMPLETED";
  return (
    <li aria-busy={opened.pending === true}>
      <span className="name">{opened.name}</span>
      <span className={completed ? "badge good" : "badge"}>
        {opened.pending === true ? "Saving…" : completed ? "Completed" : "In preparation"}
      </span>
      {!completed && opened.pending !== true && (
        <button type="button" aria-label={`Complete ${opened.name}`} onClick={() => mutate(opened)}>
          Complete
        </button>
      )}
      <Problem error={error} />
    </li>
  );
}
