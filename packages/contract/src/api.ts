import { accessTokens } from './access-tokens'
import { acm } from './acm'
import { activities } from './activities'
import { auth } from './auth'
import { clusters } from './clusters'
import { lifecycle } from './clusters-lifecycle'
import { credentials } from './credentials'
import { doctor } from './doctor'
import { files } from './files'
import { health } from './health'
import { jobs } from './jobs'
import { ldap } from './ldap'
import { leftovers } from './leftovers'
import { license } from './license'
import { providers } from './providers'
import { settings } from './settings'
import { stacks } from './stacks'
import { users } from './users'

/** Every call there is, by noun: the reference is made from it and the tests walk over it. */
export const api = {
  health,
  license,
  auth,
  accessTokens,
  users,
  ldap,
  settings,
  activities,
  clusters,
  lifecycle,
  leftovers,
  credentials,
  providers,
  acm,
  stacks,
  jobs,
  files,
  doctor,
}
