import type { AppInput } from '@flotilla/contract/apps/apps'
import type * as z from 'zod/mini'
import type { ZodForm } from '../../forms/use-zod-form'

/** With an id it is changed, without one it is new. */
export type AppDraft = AppInput & { id?: string }
export type AppFormState = ZodForm<z.input<typeof AppInput>, AppInput>
