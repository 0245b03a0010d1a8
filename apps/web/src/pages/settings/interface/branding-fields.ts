import type { ServedConfig } from '@flotilla/contract/site/config'
import * as z from 'zod/mini'

/** Converts an empty field to null. The server checks everything else. */
const orNone = z.pipe(
  z.string(),
  z.transform((text) => (text.trim() === '' ? null : text.trim())),
)

/** The fields are named as in config.json, so that the server's errors appear on their fields. */
export const BrandingFields = z.object({
  branding: z.object({
    name: z.string(),
    copyright: z.string(),
    contactLink: z.string(),
    accent: orNone,
    accentDark: orNone,
    freeTrialLink: orNone,
    quickStartLink: orNone,
  }),
  trainingMenuTitle: z.string(),
})

export function brandingFieldsOf({
  branding: { logo: _uploaded, ...branding },
  trainingMenuTitle,
}: Pick<ServedConfig, 'branding' | 'trainingMenuTitle'>): z.input<typeof BrandingFields> {
  const { accent, accentDark, freeTrialLink, quickStartLink, ...texts } = branding
  return {
    branding: {
      ...texts,
      accent: accent ?? '',
      accentDark: accentDark ?? '',
      freeTrialLink: freeTrialLink ?? '',
      quickStartLink: quickStartLink ?? '',
    },
    trainingMenuTitle,
  }
}
