import type { Server } from 'node:http'
import type { Bind } from '../http/bind'
import type { Caller } from '../http/caller'
import type { BindSocket } from '../http/socket-bind'
import type { Handler } from '../queue/task'
import type { Schedule } from '../queue/workers'

/** What `openX` of a module gives to the list in `app.ts`, besides the `api` for other modules. All parts are optional. */
export type Module = {
  /** Binds its endpoints. */
  bind?(bind: Bind): void
  /** Binds its socket requests. */
  bindSocket?(bindSocket: BindSocket): void
  /** Takes the upgrades of connections that are its own, such as its WebSockets. */
  serveUpgrades?(server: Server): void
  /** The live rooms of what this person may see of it. */
  rooms?(me: Caller): Promise<string[]>
  /** The session, the roles or what a person may see changed, or of anyone. */
  identityChanged?(userId?: string): void
  tasks?: Handler[]
  schedules?: Schedule[]
  /** Removes what has expired; called every minute on one of the servers. */
  sweep?(): Promise<unknown>
  stop?(): Promise<void> | void
}
