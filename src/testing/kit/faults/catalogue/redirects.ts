/** Redirects, as an expired session or a moved host answers. */
import type { Exchange } from "../../cassette/cassette.js";
import { answering, type FaultKind, instead } from "../kind.js";
import { type Position, spotAt, type View } from "../view.js";

const LOGIN = "/login";
const FORM =
  '<!doctype html><html><head><title>Sign in</title></head><body><form method="post"><input name="user"></form></body></html>';

function loginPage({ recording }: View): Exchange | undefined {
  const [first] = recording;
  if (first === undefined) return undefined;
  const { origin } = new URL(first.request.url);
  return {
    request: { method: "GET", url: `${origin}${LOGIN}`, headers: {} },
    response: {
      status: 200,
      headers: { "content-type": "text/html; charset=utf-8" },
      body: { text: FORM },
    },
  };
}

function toLogin(name: string, summary: string, position: Position): FaultKind {
  return {
    name,
    summary,
    plan(view) {
      const spot = spotAt(view, position);
      const page = loginPage(view);
      if (spot === undefined || page === undefined) return undefined;
      const redirect = instead(302, "", { location: LOGIN });
      const plan = answering(view, spot, "always", () => redirect);
      return { ...plan, exchanges: [...view.recording, page] };
    },
  };
}

export const REDIRECTS: readonly FaultKind[] = [
  toLogin("redirect-to-login-first", "the first page redirects to a login page", "first"),
  toLogin("redirect-to-login-last", "the last page redirects to a login page", "last"),
  {
    name: "redirect-loop",
    summary: "a page redirects to itself",
    plan(view) {
      const spot = spotAt(view, "any");
      if (spot === undefined) return undefined;
      return answering(view, spot, "always", (_, { url }) => {
        const { pathname, search } = new URL(url);
        return instead(307, "", { location: `${pathname}${search}` });
      });
    },
  },
];
