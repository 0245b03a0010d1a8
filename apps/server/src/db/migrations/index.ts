import type { Migration } from '../migrate'
import { people } from './0001-people'
import { clusters } from './0002-clusters'
import { credentials } from './0003-credentials'
import { cloudClusters } from './0004-cloud-clusters'
import { stacks } from './0005-stacks'
import { catalogues } from './0006-catalogues'
import { burstVpn } from './0007-burst-vpn'
import { accessTokens } from './0008-access-tokens'
import { withdrawn } from './0009-withdrawn'
import { besidePrices } from './0011-beside-prices'
import { registered } from './0010-registered'
import { securitySettings } from './0012-security-settings'
import { callers } from './0013-callers'
import { clusterTrust } from './0014-cluster-trust'
import { loginNetworks } from './0015-login-networks'
import { approval } from './0016-approval'
import { logLevels } from './0017-log-levels'
import { ldap } from './0018-ldap'
import { usage } from './0019-usage'
import { announcement } from './0020-announcement'
import { backups } from './0021-backups'
import { audit } from './0022-audit'
import { siteSettings } from './0023-site-settings'
import { usageSums } from './0024-usage-sums'
import { desktops } from './0025-desktops'
import { trainings } from './0026-trainings'
import { apps } from './0027-apps'
import { courses } from './0028-courses'
import { notifications } from './0029-notifications'
import { retries } from './0030-retries'
import { places } from './0031-places'
import { arrayTasks } from './0032-array-tasks'
import { namePrefix } from './0033-name-prefix'
import { unixAccounts } from './0034-unix-accounts'
import { hiddenJobs } from './0035-hidden-jobs'
import { driftCheck } from './0036-drift-check'
import { ownConnections } from './0037-own-connections'
import { availableSince } from './0038-available-since'
import { imagePlans } from './0039-image-plans'
import { cappedSums } from './0040-capped-sums'
import { backupRuns } from './0041-backup-runs'
import { simulatedImages } from './0042-simulated-images'

/** In the order they are applied. What has been released is never edited: a change is a new one. */
export const migrations: Migration[] = [
  { id: 1, name: 'people', sql: people },
  { id: 2, name: 'clusters', sql: clusters },
  { id: 3, name: 'credentials', sql: credentials },
  { id: 4, name: 'cloud-clusters', sql: cloudClusters },
  { id: 5, name: 'stacks', sql: stacks },
  { id: 6, name: 'catalogues', sql: catalogues },
  { id: 7, name: 'burst-vpn', sql: burstVpn },
  { id: 8, name: 'access-tokens', sql: accessTokens },
  { id: 9, name: 'withdrawn', sql: withdrawn },
  { id: 10, name: 'registered', sql: registered },
  { id: 11, name: 'beside-prices', sql: besidePrices },
  { id: 12, name: 'security-settings', sql: securitySettings },
  { id: 13, name: 'callers', sql: callers },
  { id: 14, name: 'cluster-trust', sql: clusterTrust },
  { id: 15, name: 'login-networks', sql: loginNetworks },
  { id: 16, name: 'approval', sql: approval },
  { id: 17, name: 'log-levels', sql: logLevels },
  { id: 18, name: 'ldap', sql: ldap },
  { id: 19, name: 'usage', sql: usage },
  { id: 20, name: 'announcement', sql: announcement },
  { id: 21, name: 'backups', sql: backups },
  { id: 22, name: 'audit', sql: audit },
  { id: 23, name: 'site-settings', sql: siteSettings },
  { id: 24, name: 'usage-sums', sql: usageSums },
  { id: 25, name: 'desktops', sql: desktops },
  { id: 26, name: 'trainings', sql: trainings },
  { id: 27, name: 'apps', sql: apps },
  { id: 28, name: 'courses', sql: courses },
  { id: 29, name: 'notifications', sql: notifications },
  { id: 30, name: 'retries', sql: retries },
  { id: 31, name: 'places', sql: places },
  { id: 32, name: 'array-tasks', sql: arrayTasks },
  { id: 33, name: 'name-prefix', sql: namePrefix },
  { id: 34, name: 'unix-accounts', sql: unixAccounts },
  { id: 35, name: 'hidden-jobs', sql: hiddenJobs },
  { id: 36, name: 'drift-check', sql: driftCheck },
  { id: 37, name: 'own-connections', sql: ownConnections },
  { id: 38, name: 'available-since', sql: availableSince },
  { id: 39, name: 'image-plans', sql: imagePlans },
  { id: 40, name: 'capped-sums', sql: cappedSums },
  { id: 41, name: 'backup-runs', sql: backupRuns },
  { id: 42, name: 'simulated-images', sql: simulatedImages },
]
