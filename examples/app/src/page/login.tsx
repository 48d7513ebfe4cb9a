import { useMutation } from "@tanstack/react-query";
import { Problem } from "./problem.tsx";

async function login(password: string): Promise<void> {
  const { ok } = await fetch("/login", { method: "POST", body: password });
  if (!ok) throw new Error("This is not the password.");
}

/** Asks for the password. After the login, the server recognizes the browser by a cookie. */
export function Login({ onDone }: { readonly onDone: () => void }) {
  const { mutate, error } = useMutation({ mutationFn: login, onSuccess: onDone });
  return (
    <main className="login">
      <form action={(fields) => mutate(String(fields.get("password")))}>
        <label>
          Password
          <input name="password" type="password" autoComplete="current-password" required />
        </label>
        <Problem error={error} />
        <button type="submit" className="main">
          Log in
        </button>
      </form>
    </main>
  );
}
