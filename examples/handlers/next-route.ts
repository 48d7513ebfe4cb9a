/** The handler as a route of Next: `app/api/graphql/route.ts`. */
import { handler } from "./handler.js";

export async function POST(request: Request): Promise<Response> {
  // Here check the session of your user, and answer 401 if there is none.
  return handler(request);
}
