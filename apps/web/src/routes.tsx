import LoginPage from './pages/login/login'
import type { RouteRow } from './route-row'

// Part of the first chunk, so it is not fetched separately.
const login: RouteRow['page'] = () => Promise.resolve({ default: LoginPage })

/** All pages, as in the specification's table. A new screen is one row here and one folder under pages/. */
export const routes: RouteRow[] = [
  // Guests
  { path: '/login/{-$userKey}', access: 'guest', layout: 'bare', title: 'Log in', page: login },
  {
    path: '/training-login',
    access: 'guest',
    layout: 'bare',
    title: ({ trainingMenuTitle }) => `${trainingMenuTitle} login`,
    page: login,
  },
  {
    path: '/register',
    access: 'guest',
    layout: 'bare',
    title: 'Create an account',
    page: () => import('./pages/register/register'),
    closed: ({ register }) => (register ? null : '/login'),
  },
  {
    path: '/verify',
    access: 'guest',
    layout: 'bare',
    title: 'Verify your email',
    page: () => import('./pages/verify/verify'),
  },
  {
    path: '/landing',
    access: 'guest',
    layout: 'bare',
    title: 'Welcome',
    page: () => import('./pages/landing/landing'),
  },
  {
    path: '/recoverPassword/$token',
    access: 'guest',
    layout: 'bare',
    title: 'Set a new password',
    page: () => import('./pages/recover/recover'),
  },

  // Compute
  {
    // Users can open its path, but the navigation offers it only to admins.
    path: '/dashboard',
    access: 'user',
    layout: 'shell',
    title: 'Dashboard',
    page: () => import('./pages/dashboard/dashboard'),
  },
  {
    path: '/credentials',
    access: 'admin',
    layout: 'shell',
    title: 'Credentials Manager',
    page: () => import('./pages/credentials/credentials'),
  },
  {
    path: '/stacks',
    access: 'instructor',
    layout: 'shell',
    title: 'Stack Manager',
    page: () => import('./pages/stacks/stacks'),
  },
  {
    path: '/stacks/new',
    access: 'instructor',
    layout: 'shell',
    title: 'New stack',
    page: () => import('./pages/stacks/new-stack'),
  },
  {
    path: '/stacks/$id',
    access: 'instructor',
    layout: 'shell',
    title: 'Stack',
    page: () => import('./pages/stacks/stack'),
  },
  {
    path: '/stacks/$id/edit',
    access: 'instructor',
    layout: 'shell',
    title: 'Edit stack',
    page: () => import('./pages/stacks/edit-stack'),
  },
  {
    path: '/clusters',
    access: 'userOrParticipant',
    layout: 'shell',
    title: 'Cluster Manager',
    page: () => import('./pages/clusters/clusters'),
  },
  {
    path: '/clusters/$id/{-$tab}',
    access: 'userOrParticipant',
    layout: 'shell',
    title: 'Cluster',
    page: () => import('./pages/clusters/cluster'),
  },
  {
    path: '/clusters/$id/desktop',
    access: 'userOrParticipant',
    layout: 'shell',
    title: 'Desktop',
    page: () => import('./pages/desktop/desktop'),
  },
  {
    path: '/jobs',
    access: 'user',
    layout: 'shell',
    title: 'Job Manager',
    page: () => import('./pages/jobs/jobs'),
  },
  {
    path: '/jobs/new',
    access: 'user',
    layout: 'shell',
    title: 'New job',
    page: () => import('./pages/jobs/new-job'),
  },
  {
    path: '/jobs/$id',
    access: 'user',
    layout: 'shell',
    title: 'Job',
    page: () => import('./pages/jobs/job'),
  },
  {
    path: '/jobs/$id/edit',
    access: 'user',
    layout: 'shell',
    title: 'Edit job',
    page: () => import('./pages/jobs/edit-job'),
  },
  {
    path: '/files',
    access: 'user',
    layout: 'shell',
    title: 'File Manager',
    page: () => import('./pages/files/files'),
  },

  // Education and content
  {
    path: '/trainings',
    access: 'instructorOrParticipant',
    layout: 'shell',
    title: ({ trainingMenuTitle }) => trainingMenuTitle,
    page: () => import('./pages/trainings/trainings'),
  },
  {
    path: '/trainings/new',
    access: 'instructor',
    layout: 'shell',
    title: 'New workshop',
    page: () => import('./pages/trainings/new-training'),
  },
  {
    path: '/trainings/$id',
    access: 'instructorOrParticipant',
    layout: 'shell',
    title: ({ trainingMenuTitle }) => trainingMenuTitle,
    page: () => import('./pages/trainings/training'),
  },
  {
    path: '/trainings/$id/edit',
    access: 'instructor',
    layout: 'shell',
    title: 'Edit workshop',
    page: () => import('./pages/trainings/edit-training'),
  },
  {
    path: '/apps',
    access: 'instructor',
    layout: 'shell',
    title: 'Apps',
    page: () => import('./pages/apps/apps'),
  },
  {
    path: '/courses',
    access: 'instructor',
    layout: 'shell',
    title: 'Courses',
    page: () => import('./pages/courses/courses'),
  },
  {
    path: '/courses/$id/{-$tab}',
    access: 'instructor',
    layout: 'shell',
    title: 'Course',
    page: () => import('./pages/courses/course'),
  },

  // Administration and account
  {
    path: '/settings/{-$tab}',
    access: 'admin',
    layout: 'shell',
    title: 'Settings',
    page: () => import('./pages/settings/settings'),
  },
  {
    path: '/settings_user/{-$tab}',
    access: 'member',
    layout: 'shell',
    title: 'Your settings',
    page: () => import('./pages/own-settings/settings-user'),
  },
  {
    path: '/general_settings',
    access: 'member',
    layout: 'shell',
    title: 'General settings',
    page: () => import('./pages/own-settings/general'),
  },
  {
    path: '/account',
    access: 'admin',
    layout: 'shell',
    title: 'Accounting',
    page: () => import('./pages/usage/accounts'),
  },
  {
    path: '/account/$id',
    access: 'admin',
    layout: 'shell',
    title: 'Account',
    page: () => import('./pages/usage/account'),
  },
  {
    path: '/account-job/$useracount',
    access: 'admin',
    layout: 'shell',
    title: 'Account jobs',
    page: () => import('./pages/usage/account-jobs'),
  },
  {
    path: '/account-cluster/$idCluster',
    access: 'admin',
    layout: 'shell',
    title: 'Cluster usage',
    page: () => import('./pages/usage/cluster-usage'),
  },

  // Everyone
  {
    path: '/pages/profile',
    access: 'everyone',
    layout: 'either',
    title: 'Profile',
    page: () => import('./pages/own-settings/profile'),
    guestPage: () => import('./pages/errors/log-in-first'),
  },
  {
    path: '/pages/errors/error-404',
    access: 'everyone',
    layout: 'either',
    title: 'Page not found',
    page: () => import('./pages/errors/error-404'),
  },
  {
    path: '/pages/errors/error-500',
    access: 'everyone',
    layout: 'either',
    title: 'Something went wrong',
    page: () => import('./pages/errors/error-500'),
  },
]
