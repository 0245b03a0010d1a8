import {
  ACCOUNT_SEARCH_MAX,
  isInZone,
  isWithin,
  matchesSearch,
  type AccountChoice,
} from '@flotilla/contract/clouds/account-choices'
import { Search, SearchX, Shapes } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../ui/button/button'
import { Async } from '../../ui/feedback/async'
import { EmptyState } from '../../ui/feedback/empty-state'
import { Skeleton } from '../../ui/feedback/skeleton'
import { Field } from '../../ui/form/field'
import { Input } from '../../ui/form/input'
import { Dialog } from '../../ui/overlay/dialog'
import { cx } from '../../ui/text/cx'
import { useAccountChoices, type AccountQuery } from './use-account-choices'

interface Props {
  query: AccountQuery
  label: string
  value: string
  /** The enclosing choice: only the subnets of this VPC are offered. */
  within: { label: string; value: string } | null
  /** Offers only resources that can be used in this zone. */
  zone: string
  onChoose: (id: string) => void
  onClose: () => void
}

/** The cloud account's resources for a field, with a search. */
export function AccountDialog({ query, label, value, within, zone, onChoose, onClose }: Props) {
  const [text, setText] = useState('')
  const typed = text.trim()
  const { choices, isSearching } = useAccountChoices(query, typed)
  const around =
    within && within.value !== '' ? `${within.label} ${lastPart(within.value)}` : zone && `zone ${zone}`
  return (
    <Dialog
      open
      size="l"
      onClose={onClose}
      title={label}
      description={`From the cloud account${query.region && `, region ${query.region}`}.`}
    >
      <div className="flex flex-col gap-3">
        <Field label="Search">
          {(aria) => (
            <Input
              {...aria}
              icon={Search}
              data-autofocus
              value={text}
              maxLength={ACCOUNT_SEARCH_MAX}
              placeholder="Name, ID or other detail"
              spellCheck={false}
              autoComplete="off"
              onChange={({ target }) => setText(target.value)}
            />
          )}
        </Field>
        <Async data={choices} skeleton={<SkeletonList />} explain={explain}>
          {({ choices: all, more, note }) => {
            const offered = all.filter((one) => isWithin(one, within?.value ?? '') && isInZone(one, zone))
            const found = offered.filter((one) => matchesSearch(one, typed))
            return (
              <>
                <p role="status" className="text-label text-ink-3">
                  {isSearching ? 'Searching the account…' : shownText(found.length, offered.length, more)}
                  {around && offered.length > 0 && ` in ${around}`}
                </p>
                {found.length > 0 ? (
                  <ChoiceList
                    {...{ label, value }}
                    choices={found}
                    onChoose={(id) => {
                      onChoose(id)
                      onClose()
                    }}
                  />
                ) : isSearching ? (
                  <SkeletonList />
                ) : typed === '' ? (
                  <EmptyState icon={Shapes} title="Nothing to choose from">
                    {note ??
                      (around
                        ? `Nothing found in ${around}.`
                        : `Nothing found in the account${query.region && ` in ${query.region}`}.`)}{' '}
                    Close this dialog to enter an ID.
                  </EmptyState>
                ) : (
                  <EmptyState
                    icon={SearchX}
                    title={`No match for “${typed}”`}
                    action={<Button onClick={() => setText('')}>Clear search</Button>}
                  />
                )}
              </>
            )
          }}
        </Async>
      </div>
    </Dialog>
  )
}

const shownText = (found: number, of: number, more: boolean) =>
  more ? `${found} of the first ${of}. Search to see more` : of === 0 ? '' : `${found} of ${of}`

const lastPart = (id: string) => id.slice(id.lastIndexOf('/') + 1)

const explain = (error: unknown) => ({
  cause: error instanceof Error ? error.message : 'An unknown error occurred',
  nextStep: 'You can still close this dialog and enter an ID.',
})

const LINES = ['w-1/3', 'w-1/2', 'w-2/5', 'w-1/3']
const SkeletonList = () => (
  <div className="flex flex-col rounded-card border border-line-1">
    {LINES.map((width, line) => (
      <div
        key={line}
        className="flex h-13 flex-col justify-center gap-1.5 border-b border-line-1 px-3 last:border-b-0"
      >
        <Skeleton className={cx('h-3.5', width)} />
        <Skeleton className="h-3 w-2/3" />
      </div>
    ))}
  </div>
)

interface ListProps {
  choices: readonly AccountChoice[]
  label: string
  value: string
  onChoose: (id: string) => void
}

/** Shows each name, which users recognize, with its ID. */
const ChoiceList = ({ choices, label, value, onChoose }: ListProps) => (
  <ul aria-label={label} className="max-h-96 overflow-y-auto rounded-card border border-line-1">
    {choices.map(({ id, name, about }) => (
      <li key={`${id} ${about}`} className="border-b border-line-1 last:border-b-0">
        <button
          type="button"
          aria-label={`Choose ${name || id}`}
          aria-current={id === value || undefined}
          onClick={() => onChoose(id)}
          className={cx(
            'flex w-full flex-col gap-0.5 px-3 py-2 text-left hover:bg-surface-3 focus-visible:-outline-offset-2',
            id === value && 'bg-accent-soft',
          )}
        >
          <span className="flex flex-wrap items-baseline gap-x-3">
            <span className={cx('text-body wrap-anywhere', name ? 'font-medium' : 'font-mono')}>
              {name || id}
            </span>
            <span className="text-label text-ink-2 wrap-anywhere">{about}</span>
          </span>
          {name && (
            // Azure's IDs are several lines long and end with the name.
            <span title={id} className="w-full truncate font-mono text-label text-ink-3">
              {id}
            </span>
          )}
        </button>
      </li>
    ))}
  </ul>
)
