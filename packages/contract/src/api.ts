import { activities } from './activities'
import { auth } from './auth'
import { clusters } from './clusters'
import { files } from './files'
import { health } from './health'
import { jobs } from './jobs'
import { ldap } from './ldap'
import { license } from './license'
import { settings } from './settings'
import { users } from './users'

/** Every call there is, by noun: the reference is made from it and the tests walk over it. */
export const api = { health, license, auth, users, ldap, settings, activities, clusters, jobs, files }
