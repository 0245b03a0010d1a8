import { managerNames } from '@flotilla/contract/clusters/inputs'
import { providerNames } from '@flotilla/contract/site/config'
import { stacks } from '@flotilla/contract/stacks/stacks'
import type { Stack as StackType } from '@flotilla/contract/stacks/entity'
import { Hammer, Pencil, Square } from 'lucide-react'
import { useApiMutation, useApiQuery } from '../../api/query'
import { TermsNotice } from '../../clouds/images/terms-notice'
import { paths, useGo, usePathParam } from '../../paths'
import { useIsAdmin, useUser } from '../../session/user'
import { Async } from '../../ui/feedback/async'
import { Button } from '../../ui/button/button'
import { Callout } from '../../ui/feedback/callout'
import { Card } from '../../ui/layout/card'
import { CopyText } from '../../ui/text/copy-text'
import { KeyValue } from '../../ui/text/key-value'
import { ButtonLink } from '../../ui/button/link'
import { Menu } from '../../ui/overlay/menu'
import { PageHeader } from '../../ui/layout/page-header'
import { RelativeTime } from '../../ui/text/relative-time'
import { SkeletonText } from '../../ui/feedback/skeleton'
import { Status } from '../../ui/status/status'
import { BuildLog } from './build-log'
import { FileList } from './file-list'
import { roleLabels, stateOf } from './stack-text'
import { useStackActions } from './use-stack-actions'

export default function StackPage() {
  const id = usePathParam('id') ?? ''
  const stack = useApiQuery(stacks.view, { id })
  return (
    <>
      {!stack.data && <PageHeader title="Stack" />}
      <Async data={stack} skeleton={<SkeletonText lines={8} />}>
        {(found) => <Found stack={found} />}
      </Async>
    </>
  )
}

const isInProgress = ({ state }: StackType) => state === 'building' || state === 'customize'

function Found({ stack }: { stack: StackType }) {
  const go = useGo()
  const { actionsOf, dialogs } = useStackActions({ onDeleted: () => go(paths.stacks()) })
  const { build, finalize, cancel, clone, share, remove } = actionsOf(stack)
  const inProgress = isInProgress(stack)
  return (
    <>
      <PageHeader
        title={stack.name}
        meta={
          <Status tone={stateOf(stack).tone} detail={<RelativeTime at={stack.since} />}>
            {stateOf(stack).label}
          </Status>
        }
        description={
          <>
            {stack.description && <span className="block whitespace-pre-line">{stack.description}</span>}
            <span className="text-ink-3">
              {providerNames[stack.provider]} · {managerNames[stack.data.manager]} · {stack.owner}
              {stack.builder && ` · from ${stack.builder}`}
              {stack.simulated && ' · simulated'}
            </span>
          </>
        }
        actions={
          <>
            {inProgress ? (
              <Button icon={Square} onClick={cancel.onSelect} disabledReason={cancel.disabledReason}>
                Cancel build
              </Button>
            ) : (
              stack.mine && (
                <ButtonLink to={paths.editStack(stack.id)} icon={Pencil}>
                  Edit
                </ButtonLink>
              )
            )}
            {stack.state === 'customize' ? (
              <Button variant="primary" onClick={finalize.onSelect} disabledReason={finalize.disabledReason}>
                Finish changes
              </Button>
            ) : (
              <Button
                variant="primary"
                icon={Hammer}
                onClick={build.onSelect}
                disabledReason={build.disabledReason}
              >
                {build.label}
              </Button>
            )}
            <Menu label={`More actions for ${stack.name}`} items={[clone, share, 'separator', remove]} />
          </>
        }
      />
      <div className="flex flex-col gap-4">
        <Problems stack={stack} />
        <Terms stack={stack} />
        <Customizing stack={stack} />
        <div className="grid items-start gap-4 lg:grid-cols-2">
          <Images stack={stack} />
          <FileList stack={stack} />
        </div>
        <BuildLog stack={stack} />
      </div>
      {dialogs}
    </>
  )
}

function Problems({ stack }: { stack: StackType }) {
  if (stack.canceled)
    return (
      <Callout tone="gray" title="The last build was canceled">
        {stack.images.length > 0
          ? 'Clusters still use the previous image.'
          : 'Its machine was removed, and no image was created.'}
      </Callout>
    )
  if (stack.cause && stack.state === 'failed')
    return (
      <Callout tone="red" title="The last build failed">
        <p className="whitespace-pre-line">{stack.cause}</p>
        {stack.images.length > 0 && <p className="mt-1">Clusters still use the previous image.</p>}
      </Callout>
    )
  if (stack.edited && stack.state === 'success')
    return (
      <Callout tone="amber" title="Edited since it was built">
        The image is from an earlier version. Build it again to include the edits.
      </Callout>
    )
  return null
}

/** The license terms of the marketplace image that the stack is built from. Only Azure has them. */
function Terms({ stack }: { stack: StackType }) {
  const admin = useIsAdmin()
  const enabled = stack.mine && stack.provider === 'azure' && !isInProgress(stack)
  // Always refetched, because another image may have been chosen since.
  const terms = useApiQuery(stacks.terms, { id: stack.id }, { admin, enabled, staleTime: 0 })
  const accept = useApiMutation(stacks.acceptTerms, {
    admin,
    success: 'Terms accepted',
    invalidates: [stacks.terms],
  })
  const open = (enabled && terms.data) || []
  const names = open.map(({ name }) => name)
  return (
    <TermsNotice
      terms={open}
      before="building"
      onAccept={() => accept.mutate({ body: { id: stack.id, names } })}
      busy={accept.isPending}
    />
  )
}

/** Explains how to log in to the machine while it is open for customization. */
function Customizing({ stack }: { stack: StackType }) {
  const { username } = useUser()
  if (!stack.open) return null
  return (
    <Callout tone="amber" title="The machine is ready to customize">
      <p>
        Log in with your own key (User SSH Key in the menu at the top right), make your changes, then choose
        Finish changes. It closes automatically <RelativeTime at={stack.open.until} /> and costs money until
        then.
      </p>
      <ul className="mt-2 flex flex-col gap-1">
        {stack.open.machines.map((machine) => (
          <li key={machine.role} className="flex flex-wrap items-center gap-2">
            <span className="text-ink-2">For {roleLabels[machine.role]}:</span>
            <CopyText label="command" text={`ssh -i ${username}.pem ${machine.username}@${machine.host}`} />
          </li>
        ))}
      </ul>
    </Callout>
  )
}

const imageItems = ({ images }: StackType) =>
  images.flatMap(({ role, id, region, builtAt }) => [
    {
      label: images.length > 1 ? `For ${roleLabels[role]}` : 'For all nodes',
      value: <CopyText text={id} label="image ID" />,
    },
    ...(region ? [{ label: 'Region', value: region }] : []),
    { label: 'Built', value: <RelativeTime at={builtAt} /> },
  ])

function Images({ stack }: { stack: StackType }) {
  return (
    <Card title="Image">
      {stack.images.length === 0 ? (
        <p className="text-body text-ink-2">
          {stack.mine
            ? 'No image yet. Build it to use it for new clusters.'
            : `No image yet. New clusters can use it once the owner, ${stack.owner}, has built it.`}
        </p>
      ) : (
        <KeyValue items={imageItems(stack)} />
      )}
    </Card>
  )
}
