/**
 * As it is when this is loaded: fake timers of a test put one in its place that waits until somebody moves the time.
 */
const immediate = globalThis.setImmediate;

/**
 * Lets the event loop turn, so that a request that was just made reaches its socket before a consumer that never
 * waits keeps the thread, and timers that ran out meanwhile fire. Twice: Node's fetch lets one turn pass before it uses
 * a connection again, and timers come after what is called here.
 */
export async function turnLoop(): Promise<void> {
  await turn();
  await turn();
}

function turn(): Promise<void> {
  return new Promise((resolve) => {
    if (typeof immediate === "function") {
      immediate(resolve);
    } else if (typeof MessageChannel === "function") {
      // Not setTimeout: browsers make nested ones wait for 4 ms.
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => {
        port1.close();
        resolve();
      };
      port2.postMessage(undefined);
    } else {
      setTimeout(resolve, 0);
    }
  });
}
