import type { Field, Provider } from '@flotilla/contract/clouds/providers'
import { FormField } from '../../forms/fields/fields'
import { IdInput } from '../../ui/form/id-input'
import { AccountBrowse } from './account-browse'
import { text } from '../form-place'
import type { Frame } from '../listed-fields'

interface Props extends Frame {
  provider: Provider
  of: 'cluster' | 'stack'
  field: Field
}

/** An ID that is typed or chosen from the cloud account. */
export const AccountField = ({ provider, of, field, ...frame }: Props) => (
  <FormField {...frame}>
    {({ value, onChange, onBlur }, aria) => (
      <span className="flex gap-2">
        <IdInput {...{ aria, onBlur, onChange }} value={text(value)} placeholder={field.placeholder} />
        <AccountBrowse
          {...{ provider, of, field }}
          form={frame.form}
          value={text(value)}
          onChoose={(id) => {
            onChange(id)
            onBlur()
          }}
        />
      </span>
    )}
  </FormField>
)
