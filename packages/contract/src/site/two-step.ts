import * as z from 'zod/mini'
import { get, patch, post } from '../endpoint'
import { Id, Time } from '../lists'
import { EmailDomains, hasDomainIn } from '../email'

const NAME = 'Enter a name of at most 100 characters'
const Name = z.string(NAME).check(z.trim(), z.minLength(1, NAME), z.maxLength(100, NAME))

const fields = {
  name: Name,
  enabled: z.boolean(),
  /** Participants with an address in one of these domains enter a code; an empty list means every participant. */
  emailDomains: EmailDomains,
}
/** A rule about who enters an emailed code when they log in to a workshop. */
export const TwoStepSettings = z.object({ id: Id, ...fields, createdAt: Time, updatedAt: Time })
export type TwoStepSettings = z.infer<typeof TwoStepSettings>
export const NewTwoStepSettings = z.strictObject({
  ...fields,
  name: z._default(Name, 'Workshop participants'),
  emailDomains: z._default(EmailDomains, []),
})
export type NewTwoStepSettings = z.infer<typeof NewTwoStepSettings>
export const TwoStepChange = z.strictObject(z.partial(z.object(fields)).shape)
export type TwoStepChange = z.infer<typeof TwoStepChange>

/** The rule that requires a code from this participant, unless their workshop has a setting of its own. */
export const twoStepRuleFor = (
  rules: readonly TwoStepSettings[],
  email: string,
): TwoStepSettings | undefined =>
  rules.find(
    ({ enabled, emailDomains }) => enabled && (emailDomains.length === 0 || hasDomainIn(email, emailDomains)),
  )

export const twoStep = {
  list: get('/api/two-step-verification/settings', {
    summary: 'List the rules for who must enter an emailed code at workshop login',
    access: 'admin',
    reply: z.array(TwoStepSettings),
  }),
  add: post('/api/two-step-verification/settings', {
    summary: 'Add a rule for who must enter an emailed code at workshop login',
    access: 'admin',
    tokens: 'never',
    body: NewTwoStepSettings,
    reply: TwoStepSettings,
    status: 201,
    failure: 'form',
  }),
  update: patch('/api/two-step-verification/settings/:id', {
    summary: 'Change a two-step rule. Omitted fields keep their value',
    access: 'admin',
    tokens: 'never',
    body: TwoStepChange,
    reply: TwoStepSettings,
    failure: 'form',
  }),
}
