import type { CloudCluster } from '@flotilla/contract/clusters/entity'
import { formSteps } from '@flotilla/contract/clouds/providers'
import type { Provider } from '@flotilla/contract/clouds/providers'
import { useCallback, useImperativeHandle, useMemo, useRef, useState } from 'react'
import type { FormEvent, ReactNode, Ref } from 'react'
import { useFormState, useWatch } from 'react-hook-form'
import { isFirstLoad } from '../../../api/query'
import { FormMessage } from '../../../forms/form'
import { useZodForm } from '../../../forms/use-zod-form'
import { useLeaveGuard } from '../../../session/use-leave-guard'
import { SkeletonText } from '../../../ui/feedback/skeleton'
import { Card } from '../../../ui/layout/card'
import { ConfirmDialog } from '../../../ui/overlay/confirm-dialog'
import { PriceParts } from '../price/price-parts'
import { applyErrors } from './values/apply-errors'
import { cloudSchema, filled, impossibleValues, problemsOf } from './values/cloud-values'
import type { CloudValues } from './values/cloud-values'
import { pathIn } from './values/cloud-values'
import type { CloudForm as FormState } from './values/cloud-values'
import { missingIn, pathsOf, pathsWithErrors, stepNames, stepOf } from './values/field-rules'
import type { Step } from './values/field-rules'
import { FormButtons } from './form-buttons'
import { useLacksTorque } from './steps/no-torque'
import { PriceSummary, PriceSide, useFormPrice } from './price/price-side'
import { StepBody } from './steps/step-body'
import { StepNav } from './steps/step-nav'
import type { StepMark } from './steps/step-nav'
import { Summary } from './steps/summary'
import { useSave } from './use-save'
import { useStackList, useStacks } from './use-stacks'
import type { Intent } from './use-save'

export interface Typed {
  values: () => CloudValues
  leave: () => void
}

interface Props {
  provider: Provider
  start: CloudValues
  /** Null for a new cluster, which is shown step by step; an existing one is a single page. */
  cluster: CloudCluster | null
  admin: boolean
  /** Lets the parent read the typed values, to carry them over to another provider; `leave` skips the leave guard. */
  typed?: Ref<Typed>
  /** Where the values come from, if not from the defaults. */
  note?: ReactNode
  /** Whether the values come from elsewhere, such as a file, so that all steps count as visited. */
  prepared?: boolean
}

/** The heading of a step. It receives the focus when the step is shown, for screen readers. */
const Heading = ({ children }: { children: ReactNode }) => (
  <span data-heading tabIndex={-1} className="outline-none">
    {children}
  </span>
)

type Place = Step | 'summary'
const places: readonly Place[] = [...formSteps, 'summary']

/** The form of a cloud cluster, built from its provider's field descriptions. */
export default function CloudForm(props: Props) {
  // The fields depend on the chosen stack, so the stacks are loaded first.
  return isFirstLoad(useStackList()) ? <SkeletonText lines={8} /> : <LoadedForm {...props} />
}

function LoadedForm({ provider, start, cluster, admin, typed, note, prepared = false }: Props) {
  const stacks = useStacks(provider.id)
  const schema = useMemo(() => cloudSchema(provider, stacks), [provider, stacks])
  // A missing value is an error only once the user has tried to leave its step.
  const [attempted] = useState(() => new Set<Step | null>())
  const more = useCallback(
    (current: CloudValues) =>
      [...missingIn(provider, current)].filter(([path]) => attempted.has(stepOf(provider, path))),
    [provider, attempted],
  )
  const form: FormState = useZodForm(schema, { defaults: start, more })
  const [place, setPlace] = useState<Place>('basics')
  const [confirming, setConfirming] = useState(false)
  const [busy, setBusy] = useState(false)
  const intent = useRef<Intent>('save')
  const box = useRef<HTMLFormElement>(null)
  const { errors, isDirty, submitCount } = useFormState({ control: form.control })
  const save = useSave(cluster, admin)
  const price = useFormPrice(form)
  const stepped = cluster === null
  const [visited, setVisited] = useState<ReadonlySet<Place>>(
    () => new Set(stepped && !prepared ? ['basics'] : places),
  )
  /** Shows a step; an existing cluster's page scrolls to it. */
  const open = (next: Place, focusError = false) => {
    setPlace(next)
    setVisited((before) => new Set([...before, next]))
    // The step is in the page only after rendering.
    requestAnimationFrame(() => {
      const section = box.current?.querySelector<HTMLElement>(`[data-step="${next}"]`)
      const field = focusError ? section?.querySelector<HTMLElement>('[aria-invalid="true"]') : null
      if (field) return field.focus()
      if (!stepped) return section?.scrollIntoView()
      section?.querySelector<HTMLElement>('[data-heading]')?.focus({ preventScroll: true })
      if (box.current && box.current.getBoundingClientRect().top < 0) box.current.scrollIntoView()
    })
  }
  // The steps that were shown before this one. The browser's Back button returns to them.
  const trail = useRef<Place[]>([])
  const { leave, dialog } = useLeaveGuard(isDirty, () => {
    const last = trail.current.pop()
    return last && (() => open(last))
  })
  useImperativeHandle(typed, () => ({ values: form.getValues, leave }))

  useWatch({ control: form.control })
  const values = form.getValues()
  const missing = missingIn(provider, values)
  const impossible = new Map(impossibleValues(provider, filled(values), stacks))
  const wrong = new Set(pathsWithErrors(errors).map((path) => stepOf(provider, path)))
  const unfinished = new Set([...missing.keys(), ...impossible.keys()].map((path) => stepOf(provider, path)))
  const lacksTorque = useLacksTorque(provider, values)
  if (lacksTorque) (visited.has('software') ? wrong : unfinished).add('software')
  const markOf = (step: Place): StepMark => {
    const hasErrors = step === 'summary' ? false : wrong.has(step)
    if (hasErrors) return 'wrong'
    const lacks = step === 'summary' ? unfinished.size > 0 || wrong.size > 0 : unfinished.has(step)
    if (lacks) return 'unfinished'
    return visited.has(step) ? 'done' : 'unseen'
  }

  const show = (next: Place, focusError = false) => {
    if (stepped && next !== place) trail.current.push(place)
    open(next, focusError)
  }
  const firstStepOf = (paths: readonly string[]): Step =>
    formSteps.find((step) => paths.some((path) => stepOf(provider, path) === step)) ?? 'basics'

  const next = () => {
    if (place === 'summary') return
    attempted.add(place)
    form.clearErrors(pathsOf(provider, place).map(pathIn))
    // For a field that is both missing and invalid, the later entry wins: the error of the invalid value.
    const found = new Map([...missingIn(provider, form.getValues()), ...problemsOf(schema, form.getValues())])
    const errorsHere = [...found].filter(([path]) => stepOf(provider, path) === place)
    // Errors are set one by one, because validating a whole list would drop the error of a field inside it.
    for (const [path, message] of errorsHere) form.setError(pathIn(path), { type: 'schema', message })
    const isValid = errorsHere.length === 0
    const following = places[places.indexOf(place) + 1]
    show(isValid && following ? following : place, !isValid)
  }
  const send = async () => {
    setBusy(true)
    try {
      await save(form.getValues(), intent.current, leave)
    } catch (error) {
      const step = applyErrors(form, provider, error)
      if (step) show(step, true)
    } finally {
      setBusy(false)
      setConfirming(false)
    }
  }
  const checked = async () => {
    const lacking =
      intent.current === 'save' ? new Map<string, string>() : missingIn(provider, form.getValues())
    for (const [path, message] of lacking) form.setError(pathIn(path), { type: 'missing', message })
    if (lacking.size > 0) return show(firstStepOf([...lacking.keys()]), true)
    if (intent.current === 'deploy') setConfirming(true)
    else await send()
  }
  /** Saves values whose errors only prevent a deployment; otherwise shows the errors. */
  const refused = (found: unknown): void | Promise<void> => {
    const invalid = problemsOf(schema, form.getValues()).filter(([path]) => !impossible.has(path))
    if (intent.current === 'save' && invalid.length === 0) return send()
    showErrors(pathsWithErrors(found))
  }
  /** Opens the step of the first error. Errors of fields that this form does not have are shown at the top. */
  const showErrors = (paths: readonly string[]) => {
    const hidden = paths.filter((path) => stepOf(provider, path) === null && impossible.has(path))
    if (hidden.length > 0)
      form.setError('root.server', {
        type: 'server',
        message: hidden.map((path) => `${path}: ${impossible.get(path)}`).join('\n'),
      })
    show(firstStepOf(paths), true)
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    // React also bubbles the submit event of a dialog's form, which is inside this form only in the React tree.
    if (event.target !== event.currentTarget) return
    if (stepped && place !== 'summary') return next()
    form.clearErrors()
    void form.handleSubmit(checked, refused)(event)
  }

  return (
    <>
      <form ref={box} noValidate onSubmit={submit} className="flex scroll-mt-18 flex-col gap-4">
        <div className="grid grid-cols-1 items-start gap-4 xl:grid-cols-[9.5rem_minmax(0,1fr)_17rem]">
          <StepNav
            steps={stepped ? places : formSteps}
            current={stepped ? place : null}
            markOf={markOf}
            onChoose={(step) => show(step)}
          />
          <div className="flex min-w-0 flex-col gap-4">
            {note}
            <FormMessage form={form} />
            {formSteps.map((step) => (
              <div key={step} data-step={step} hidden={stepped && step !== place} className="scroll-mt-18">
                <Card title={<Heading>{stepNames[step]}</Heading>}>
                  <StepBody
                    form={form}
                    provider={provider}
                    step={step}
                    deployed={cluster !== null && cluster.machines.length > 0}
                    stored={cluster !== null}
                    price={price.data}
                  />
                </Card>
              </div>
            ))}
            {place === 'summary' && stepped && (
              <div data-step="summary">
                <h2 className="sr-only">
                  <Heading>{stepNames.summary}</Heading>
                </h2>
                <Summary
                  provider={provider}
                  values={values}
                  lacksTorque={lacksTorque}
                  invalid={problemsOf(schema, values).filter(
                    ([path]) => !missing.has(path) && !impossible.has(path),
                  )}
                  impossible={[...impossible]}
                  onGo={(step, focusError) => show(step, focusError)}
                  onSlurm={() => form.setValue('data.manager', 'slurm', { shouldDirty: true })}
                />
              </div>
            )}
          </div>
          <PriceSide
            price={price}
            unchosen={['data.network.region_id', 'data.server.instance_id'].some((path) => missing.has(path))}
          />
        </div>
        <FormButtons
          cluster={cluster}
          busy={busy}
          place={stepped ? place : null}
          onBack={() => show(places[places.indexOf(place) - 1] ?? 'basics')}
          onIntent={(chosen) => (intent.current = chosen)}
          onErrors={
            submitCount > 0 && pathsWithErrors(errors).length > 0
              ? () => showErrors(pathsWithErrors(errors))
              : undefined
          }
          deployBlockedReason={
            lacksTorque ? 'Torque cannot be installed. Choose another resource manager under Software.' : null
          }
        >
          <PriceSummary price={price} />
        </FormButtons>
      </form>
      <ConfirmDialog
        open={confirming}
        size="m"
        danger={false}
        onClose={() => setConfirming(false)}
        title={
          cluster?.info.state === 'available' ? `Apply changes to ${values.name}?` : `Deploy ${values.name}?`
        }
        waitsFor={price.isCurrent ? null : 'Calculating the price'}
        confirmLabel={cluster?.info.state === 'available' ? 'Save and apply' : 'Save and deploy'}
        onConfirm={send}
      >
        <p>
          {cluster?.info.state === 'available'
            ? 'Your changes are applied in the cloud. Some, such as a different network, replace a machine, and its data is lost. To check first, use Save and plan.'
            : 'Everything it needs is created in the cloud. With all nodes running, it costs:'}
        </p>
        {price.data && (
          <div className="rounded-card border border-line-1 bg-surface-1 p-4">
            <PriceParts price={price.data} />
          </div>
        )}
      </ConfirmDialog>
      {dialog}
    </>
  )
}
