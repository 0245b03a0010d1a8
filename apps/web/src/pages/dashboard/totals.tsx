import type { Dashboard } from '@flotilla/contract/clusters/dashboard'
import { countText } from '@flotilla/contract/count-text'
import { paths } from '../../paths'
import { TextLink } from '../../ui/button/link'
import { sumText } from '../../ui/text/price-text'
import { Figures } from '../../usage/figures'

const list = (parts: (string | false)[]) => parts.filter(Boolean).join(', ') || 'none'

/** Totals of clusters, jobs, nodes, users and cost, each with a link to the details. */
export function Totals({ data: { clusters, queue, nodes, people, spend } }: { data: Dashboard }) {
  const byState = Object.entries(clusters).toSorted(([, a], [, b]) => b - a)
  const states = byState.map(([state, count]) => `${count} ${state}`)
  const clusterCount = byState.reduce((sum, [, count]) => sum + count, 0)
  const spendPage = people ? paths.account() : paths.settingsUser('usage')
  return (
    <Figures
      items={[
        {
          label: people ? 'Clusters' : 'Your clusters',
          value: <TextLink to={paths.clusters()}>{clusterCount}</TextLink>,
          note: list(states),
        },
        {
          label: people ? 'Nodes' : 'Your nodes',
          value: <TextLink to={paths.clusters()}>{nodes.total}</TextLink>,
          note: list([
            nodes.busy > 0 && `${nodes.busy} busy`,
            nodes.available > 0 && `${nodes.available} available`,
            nodes.down > 0 && `${nodes.down} down`,
            nodes.offline > 0 && `${nodes.offline} offline`,
          ]),
        },
        {
          label: people ? 'Jobs running' : 'Your jobs running',
          value: <TextLink to={paths.jobs()}>{queue.running}</TextLink>,
          note: list([`${queue.queued} queued`, queue.blocked > 0 && `${queue.blocked} blocked`]),
        },
        ...(people
          ? [
              {
                label: 'People online',
                value: <TextLink to={paths.settings()}>{people.online}</TextLink>,
                note: `of ${countText(people.total, 'account')}`,
              },
            ]
          : []),
        {
          label: 'Spend today',
          value: (
            <TextLink to={spendPage} search={{ range: 'today' }}>
              {sumText(spend.today)}
            </TextLink>
          ),
          note: 'since midnight UTC',
        },
        {
          label: 'Spend this month',
          value: (
            <TextLink to={spendPage} search={{ range: 'month' }}>
              {sumText(spend.month)}
            </TextLink>
          ),
          note: people ? 'machines and disks' : 'your clusters and jobs',
        },
      ]}
    />
  )
}
