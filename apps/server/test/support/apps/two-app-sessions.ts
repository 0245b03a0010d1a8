import { api } from '@flotilla/contract/api'
import { launched } from './app-client'
import { Console } from '../console/console'
import { probeApp } from './probe-app'

/** A console on whose machine two users each run the same app. */
export async function twoAppSessions() {
  const server = await Console.start()
  const machine = await server.thisMachine()
  const [ada, eve] = [await server.person('adalove'), await server.person('evelyn')]
  const app = (await server.must(api.apps.create, { body: probeApp }, { token: server.admin })).id
  const more = { values: { color: "it's blue" } }
  const [session, other] = await Promise.all([
    launched(server, ada, app, machine, more),
    launched(server, eve, app, machine),
  ])
  return { server, machine, ada, eve, app, session, other }
}
