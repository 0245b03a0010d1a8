import { useMemo } from 'react'
import { useForm } from 'react-hook-form'
import type { DefaultValues, FieldValues, UseFormReturn } from 'react-hook-form'
import type { core } from 'zod/mini'
import type { Resolver } from 'react-hook-form'
import { pressEnd } from '../ui/press'
import { zodResolver } from './zod-resolver'

/** A form over a contract schema: what is typed goes in, what the schema makes of it comes out. */
export type ZodForm<Input extends FieldValues, Output = Input> = UseFormReturn<Input, unknown, Output>

interface Options<Input extends FieldValues> {
  defaults: DefaultValues<Input>
  /** Server data that may still change: untouched fields follow it, edited ones are kept. */
  values?: Input
}

/** Complaints appear once a field was left or the form was sent, and go as soon as they are met. */
export function useZodForm<Input extends FieldValues, Output>(
  schema: core.$ZodType<Output, Input>,
  { defaults, values }: Options<Input>,
): ZodForm<Input, Output> {
  const resolver = useMemo((): Resolver<Input, unknown, Output> => {
    const check = zodResolver(schema)
    return async (...given) => {
      await pressEnd()
      return check(...given)
    }
  }, [schema])
  return useForm<Input, unknown, Output>({
    resolver,
    defaultValues: defaults,
    ...(values && { values, resetOptions: { keepDirtyValues: true } }),
    mode: 'onTouched',
    shouldFocusError: true,
  })
}
