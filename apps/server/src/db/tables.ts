import type { ActivityTables } from './tables/activities'
import type { AppTables } from './tables/apps'
import type { ClusterTables } from './tables/clusters'
import type { CourseTables } from './tables/courses'
import type { DesktopTables } from './tables/desktops'
import type { JobTables } from './tables/jobs'
import type { PeopleTables } from './tables/people'
import type { SiteTables } from './tables/site'
import type { StackTables } from './tables/stacks'
import type { TrainingTables } from './tables/trainings'
import type { UsageTables } from './tables/usage'

/** Every table of the database, by subject. */
export type Tables = ActivityTables &
  AppTables &
  ClusterTables &
  CourseTables &
  DesktopTables &
  JobTables &
  PeopleTables &
  SiteTables &
  StackTables &
  TrainingTables &
  UsageTables
