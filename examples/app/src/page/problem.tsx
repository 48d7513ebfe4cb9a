import { problemsOf } from "../problems.ts";

/** A failure in words, announced by screen readers, and a way to try again if there is one. */
export function Problem({ error, onRetry }: { readonly error: Error | null; readonly onRetry?: () => void }) {
  return (
    <div role="alert">
      {error !== null && (
        <div className="problem">
          {problemsOf(error).map((text) => (
            <p key={text}>{text}</p>
          ))}
          {onRetry !== undefined && (
            <button type="button" onClick={onRetry}>
              Try again
            </button>
          )}
        </div>
      )}
    </div>
  );
}
