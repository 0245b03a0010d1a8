import * as z from "zod/mini";

/** What a `change` event can speak of. The first three are the specification's, the others ours. */
export const Changed = z.enum(["clusters", "nodes", "queuedjobs", "users", "sessions", "settings"]);
export type Changed = z.infer<typeof Changed>;

/** Every event carries `seq`, counted per connection: a gap means one was lost and the client fetches everything anew. */
export type SocketEvents = {
  change: { changed: Changed; seq: number };
  trainingSessionIsEnding: { sessionCode: string; trainingId: string; seq: number };
  publicDemoSessionIsEnding: { username: string; seq: number };
  silentLogout: { username: string; seq: number };
};
