import { accessTokens } from './people/access-tokens'
import { acm } from './clouds/acm'
import { activities } from './people/activities'
import { announcements } from './site/announcement'
import { apps } from './apps/apps'
import { appSessions } from './apps/sessions'
import { auth } from './people/auth'
import { backups } from './site/backups'
import { clusters } from './clusters/clusters'
import { lifecycle } from './clusters/lifecycle'
import { courses } from './courses/courses'
import { credentials } from './clouds/credentials'
import { dashboard } from './clusters/dashboard'
import { desktops } from './desktops/desktops'
import { doctor } from './site/doctor'
import { files } from './jobs/files'
import { health } from './site/health'
import { jobs } from './jobs/jobs'
import { ldap } from './people/ldap'
import { ldapServers } from './people/ldap-servers'
import { leftovers } from './clusters/leftovers'
import { license } from './site/license'
import { mail } from './site/mail'
import { notifications } from './site/notifications'
import { providers } from './clouds/providers'
import { search } from './site/search'
import { settings } from './site/settings'
import { ui } from './site/ui'
import { stacks } from './stacks/stacks'
import { trainingLogin } from './trainings/login'
import { trainings } from './trainings/trainings'
import { twoStep } from './site/two-step'
import { account, usages } from './site/usage'
import { users } from './people/users'

/** Every endpoint, by noun: the API reference is generated from it and the tests iterate over it. */
export const api = {
  health,
  license,
  auth,
  accessTokens,
  users,
  ldap,
  ldapServers,
  settings,
  ui,
  mail,
  twoStep,
  announcements,
  dashboard,
  search,
  notifications,
  activities,
  clusters,
  lifecycle,
  leftovers,
  credentials,
  providers,
  acm,
  stacks,
  courses,
  jobs,
  files,
  apps,
  appSessions,
  desktops,
  doctor,
  account,
  usages,
  backups,
  trainings,
  trainingLogin,
}
