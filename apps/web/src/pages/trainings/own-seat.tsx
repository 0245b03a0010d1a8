import { trainings } from '@flotilla/contract/trainings/trainings'
import type { OwnSeat } from '@flotilla/contract/trainings/entity'
import { Hand, Server } from 'lucide-react'
import { useApiMutation, useApiQuery } from '../../api/query'
import { paths } from '../../paths'
import { Button } from '../../ui/button/button'
import { ButtonLink } from '../../ui/button/link'
import { Async } from '../../ui/feedback/async'
import { SkeletonText } from '../../ui/feedback/skeleton'
import { Card } from '../../ui/layout/card'
import { PageHeader } from '../../ui/layout/page-header'
import { RelativeTime } from '../../ui/text/relative-time'

/** A participant's own seat: their cluster, their hand and what the instructor says. */
export function OwnSeatPage() {
  const seat = useApiQuery(trainings.own, {})
  return (
    <>
      {!seat.data && <PageHeader title="Workshop" />}
      <Async data={seat} skeleton={<SkeletonText lines={6} />}>
        {(found) => <Found seat={found} />}
      </Async>
    </>
  )
}

function Found({ seat }: { seat: OwnSeat }) {
  const hand = useApiMutation(trainings.raiseOwnHand, { invalidates: [trainings.own] })
  const raised = seat.handRaisedAt !== null
  const { training, messages, clusterId } = seat
  return (
    <>
      <PageHeader
        title={training.name}
        description={
          training.description && <span className="whitespace-pre-line">{training.description}</span>
        }
        actions={
          <>
            {clusterId !== null && (
              <ButtonLink to={paths.cluster(clusterId)} icon={Server}>
                Your cluster
              </ButtonLink>
            )}
            <Button
              icon={Hand}
              variant={raised ? 'primary' : 'secondary'}
              aria-pressed={raised}
              busy={hand.isPending}
              onClick={() => hand.mutate({ body: { raised: !raised } })}
            >
              {raised ? 'Lower hand' : 'Raise hand'}
            </Button>
          </>
        }
      />
      <Card
        title="Messages"
        description={`You are at seat ${seat.number}. Your instructor is ${training.instructor}.`}
      >
        {messages.length === 0 ? (
          <p className="text-body text-ink-3">No messages yet</p>
        ) : (
          <ul className="flex flex-col gap-3" aria-live="polite">
            {messages.toReversed().map(({ id, sender, text, sentAt }) => (
              <li key={id} className="text-body">
                <p className="text-label text-ink-3">
                  {sender} · <RelativeTime at={sentAt} />
                </p>
                <p className="wrap-anywhere whitespace-pre-line">{text}</p>
              </li>
            ))}
          </ul>
        )}
      </Card>
    </>
  )
}
