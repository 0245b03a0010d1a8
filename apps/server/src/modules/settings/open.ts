import type { Logger } from 'pino'
import type { ServerConfig } from '../../config'
import type { Database } from '../../db/database'
import type { Bind } from '../../http/bind'
import { openRuntimeConfig } from '../../runtime/runtime'
import { openChoices } from './choices'
import { bindSettings } from './routes'
import { makeSettings } from './settings'

type Deps = { db: Database; config: ServerConfig; log: Logger; now: () => number }

export async function openSettings({ db, config, log, now }: Deps) {
  const choices = openChoices(db, now)
  const runtime = openRuntimeConfig(config.dataDir, log, async () => (await choices.get()).config)
  // Logs invalid settings at startup, and caches valid ones in case they become invalid.
  await runtime.problems()
  const api = makeSettings({ db, runtime, choices, config, now })
  return { api, runtime, bind: (bind: Bind) => bindSettings(bind, api) }
}
