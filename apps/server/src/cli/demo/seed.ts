import type { ServerConfig } from '../../config'
import type { RunningServer } from '../../server'
import { openMasterKey } from '../../secrets/secrets'
import { seedAudit } from './history/audit'
import { seedClusters } from './clusters/deploy'
import { seedFiles } from './jobs/files'
import { seedQueues } from './jobs/jobs'
import { PASSWORD } from './people'
import { makeSessions } from './session'
import { seedSite } from './site'
import { seedStacks } from './stacks'
import { seedWorkshop } from './workshop/workshop'

type Site = Pick<RunningServer, 'app' | 'db' | 'url'> & { config: ServerConfig }

/**
 * Makes the site look as if it had been in use for sixty days, while it can already be used. Each part checks whether
 * it already exists, so that a second start adds nothing and one after an interruption completes the data.
 */
export async function seed({ app, db, url, config }: Site) {
  const now = Date.now()
  const { dataDir } = config
  const session = makeSessions(url, PASSWORD)
  const credentialIds = await seedSite(db, dataDir, session, now)
  const clusterIds = await seedClusters({ db, dataDir, session, now }, credentialIds)
  await seedAudit(db, await openMasterKey(config.masterKeyFile), clusterIds, now)
  // Chains what was just recorded.
  await app.sweep()
  await seedFiles(db, session, clusterIds)
  await seedQueues(db, session, clusterIds)
  await seedStacks(session, credentialIds, dataDir)
  const workshop = await seedWorkshop(url, session, clusterIds, now)
  return { session, clusterIds, workshop }
}
