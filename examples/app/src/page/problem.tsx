import { problemsOf } from "../problems.ts";

/** Describes a failure, announced by screen readers, and offers to try again if possible. */
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
