import { expect, it } from 'vitest'
import { crumbsOf } from './crumbs'

it('leads from the list down to the page, without tabs', () => {
  expect(crumbsOf('/jobs/$id/edit', '/jobs/j1/edit')).toEqual([
    { path: '/jobs', to: '/jobs' },
    { path: '/jobs/$id', to: '/jobs/j1' },
    { path: '/jobs/$id/edit', to: '/jobs/j1/edit' },
  ])
  expect(crumbsOf('/clusters/$id/{-$tab}', '/clusters/a%2Fb/nodes')).toEqual([
    { path: '/clusters', to: '/clusters' },
    { path: '/clusters/$id', to: '/clusters/a%2Fb' },
  ])
  expect(crumbsOf('/settings/{-$tab}', '/settings/mail')).toHaveLength(1)
})

it('leads from a person’s jobs and from a cluster’s usage back to accounting', () => {
  expect(crumbsOf('/account-job/$useracount', '/account-job/priya').map(({ to }) => to)).toEqual([
    '/account',
    '/account/priya',
    '/account-job/priya',
  ])
  expect(crumbsOf('/account-cluster/$idCluster', '/account-cluster/c1').map(({ to }) => to)).toEqual([
    '/account',
    '/account-cluster/c1',
  ])
})
