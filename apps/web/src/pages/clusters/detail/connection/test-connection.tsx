import { clusters } from '@flotilla/contract/clusters/clusters'
import type { Cluster } from '@flotilla/contract/clusters/entity'
import { Activity } from 'lucide-react'
import { useApiMutation } from '../../../../api/query'
import { Button } from '../../../../ui/button/button'
import { Card } from '../../../../ui/layout/card'
import { connectBlockedReason } from '../../actions/user-actions'
import { TestResult } from './test-result'

/** Tests the connection of the user's own account. Everyone who can use the cluster may run the test. */
export function TestConnection({ cluster }: { cluster: Cluster }) {
  const test = useApiMutation(clusters.testOwn)
  const { id } = cluster
  const blocked = connectBlockedReason(cluster)
  return (
    <Card
      title="Your connection"
      description="Tests every step from the console to your account and the resource manager."
      actions={
        <Button
          icon={Activity}
          busy={test.isPending}
          disabledReason={blocked}
          onClick={() => test.mutate({ id })}
        >
          Test connection
        </Button>
      }
    >
      <TestResult test={test} />
    </Card>
  )
}
