import { FolderOpen, Plus } from 'lucide-react'
import { useState } from 'react'
import { Async } from '../ui/feedback/async'
import { Avatar } from '../ui/status/avatar'
import { Button } from '../ui/button/button'
import { Card } from '../ui/layout/card'
import { CopyText } from '../ui/text/copy-text'
import { EmptyState } from '../ui/feedback/empty-state'
import { ErrorState } from '../ui/feedback/error-state'
import { Kbd } from '../ui/text/kbd'
import { KeyValue } from '../ui/text/key-value'
import { LinkTabs } from '../ui/layout/link-tabs'
import { ProgressBar } from '../ui/feedback/progress-bar'
import { RelativeTime } from '../ui/text/relative-time'
import { SkeletonRows, SkeletonText } from '../ui/feedback/skeleton'
import { Spinner } from '../ui/feedback/spinner'
import { Stale } from '../ui/feedback/stale'
import { Status } from '../ui/status/status'
import { Tabs } from '../ui/layout/tabs'
import { Example } from './section'

const start = Date.now()

export function Feedback() {
  const [tab, setTab] = useState('overview')
  const loaded = { isPending: false, isFetching: false, dataUpdatedAt: start - 94_000, refetch: () => {} }
  return (
    <div className="grid items-start gap-6 lg:grid-cols-2">
      <Card
        title="aurora-cfd"
        description="At a glance: state, age, price and problems."
        actions={<Stale since={start - 8000} />}
        footer={<Button>Stop cluster</Button>}
      >
        <KeyValue
          items={[
            {
              label: 'State',
              value: (
                <Status tone="amber" detail="1 of 8 nodes down">
                  degraded
                </Status>
              ),
            },
            { label: 'Since', value: <RelativeTime at={start - 5_400_000} /> },
            { label: 'ID', value: <CopyText text="clu_01J9Z3M6Q8V7X2N4" label="cluster ID" /> },
            {
              label: 'Owner',
              value: (
                <span className="flex items-center gap-2">
                  <Avatar name="Ada Lovelace" size="s" /> Ada Lovelace
                </span>
              ),
            },
            { label: 'Price', value: '12.40 USD per hour' },
            { label: 'Description', value: null },
          ]}
        />
      </Card>
      <Card title="Long-running work">
        <div className="flex flex-col gap-5">
          <ProgressBar
            label="Deploying aurora-cfd"
            value={0.62}
            detail="Step 5 of 8, 3 min: aws_instance.compute[2] created"
          />
          <ProgressBar label="Building image" detail="Step 2 of 4, 41 s: installing openmpi" />
          <ProgressBar label="Upload" value={1} tone="green" />
          <div className="flex items-center gap-4 text-ink-2">
            <Spinner label="Loading" /> <Avatar name="grace.hopper" /> Search <Kbd>Ctrl</Kbd> <Kbd>K</Kbd>
            <Stale since={start - 95_000} />
          </div>
        </div>
      </Card>
      <Card title="Tabs">
        <Tabs
          label="Cluster"
          value={tab}
          onChange={setTab}
          tabs={[
            { id: 'overview', label: 'Overview', content: <SkeletonText lines={3} /> },
            { id: 'nodes', label: 'Nodes', count: 8, content: <p>Eight nodes.</p> },
            { id: 'activities', label: 'Activities', content: <p>What happened.</p> },
          ]}
        />
        <div className="mt-6">
          <LinkTabs
            label="Settings"
            tabs={[
              { to: '/gallery/nodes', label: 'Users', count: 42 },
              { to: '/gallery/ldap', label: 'LDAP' },
              { to: '/gallery/license', label: 'License' },
            ]}
          />
        </div>
      </Card>
      <Card title="Loading" flush>
        <div className="px-4 pb-4">
          <Async
            data={{ ...loaded, data: undefined, error: null, isPending: true }}
            skeleton={<SkeletonRows rows={4} columns={4} />}
          >
            {() => null}
          </Async>
        </div>
      </Card>
      <Card title="Empty" flush>
        <Async
          data={{ ...loaded, data: [], error: null }}
          empty={
            <EmptyState
              icon={FolderOpen}
              title="No jobs yet"
              action={
                <Button variant="primary" icon={Plus}>
                  New job
                </Button>
              }
            >
              A job is a script and what it needs to run; submit it to any cluster.
            </EmptyState>
          }
        >
          {() => null}
        </Async>
      </Card>
      <Card title="Failed" flush>
        <ErrorState
          cause="The head node of aurora-cfd does not respond."
          nextStep="Check that the cluster is running, then try again."
          onRetry={() => {}}
        />
      </Card>
      <Card title="Could not refresh" className="lg:col-span-2">
        <Async
          data={{
            ...loaded,
            data: ['aurora-cfd', 'genomics-eu'],
            error: new Error('The server cannot be reached.'),
          }}
        >
          {(names) => <Example name="Old rows stay">{names.join(', ')}</Example>}
        </Async>
      </Card>
    </div>
  )
}
