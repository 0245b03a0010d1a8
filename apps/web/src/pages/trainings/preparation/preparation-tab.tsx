import type { Training } from '@flotilla/contract/trainings/entity'
import { trainings } from '@flotilla/contract/trainings/trainings'
import { ListChecks, Play } from 'lucide-react'
import { useApiMutation, useApiQuery } from '../../../api/query'
import { useIsAdmin } from '../../../session/user'
import { Button } from '../../../ui/button/button'
import { TestSteps } from '../../../ui/feedback/test-steps'
import { Card } from '../../../ui/layout/card'
import { LogLines } from '../../../ui/log/log-lines'
import { Status } from '../../../ui/status/status'
import { preparationTexts } from '../training-text'
import { ReceiptCard } from './receipt-card'

/** Before the workshop, its checks and the preparation of seats; after its end, what was torn down. */
export function PreparationTab({ training }: { training: Training }) {
  const admin = useIsAdmin()
  const { id, preparation, data } = training
  const check = useApiMutation(trainings.preflight, { admin })
  const prepare = useApiMutation(trainings.prepare, {
    admin,
    success: 'Preparing the seats',
    invalidates: [trainings.view, trainings.logs],
  })
  const log = useApiQuery(trainings.logs, { id })
  const { label, tone } = preparationTexts[preparation.state]
  const ended = training.state === 'ended' ? 'This workshop has ended' : null
  return (
    <div className="flex flex-col gap-4">
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <Card
          title="Check"
          description="Checks the cluster, credential, email, desktop, apps and price in advance. Sends you a test email, and starts a desktop and each app once."
          actions={
            <Button
              icon={ListChecks}
              busy={check.isPending}
              disabledReason={ended}
              onClick={() => check.mutate({ id })}
            >
              Run check
            </Button>
          }
        >
          {!check.data && !check.isPending && <p className="text-ink-3">Not checked yet</p>}
          <TestSteps steps={check.data} busy={check.isPending} busyText="Checking" />
        </Card>
        <Card
          title="Seats"
          description={
            data.seatMode === 'own'
              ? 'Creates an account and a cluster for every seat. The clusters cost money from then on.'
              : 'Creates the accounts of all seats on the cluster, so that no one has to wait.'
          }
          actions={
            <Button
              icon={Play}
              busy={prepare.isPending}
              disabledReason={ended ?? (preparation.state === 'preparing' ? 'In progress' : null)}
              onClick={() => prepare.mutate({ id })}
            >
              Prepare seats
            </Button>
          }
        >
          <Status tone={tone}>{label}</Status>
          {!ended && (
            <p className="mt-2 text-body text-ink-2">
              Seats that are not prepared are created when someone takes them. Everything is removed after the
              workshop ends.
            </p>
          )}
        </Card>
      </div>
      {training.state === 'ended' && <ReceiptCard training={training} />}
      {log.data && log.data.length > 0 && <LogLines lines={log.data} label="Preparation log" />}
    </div>
  )
}
