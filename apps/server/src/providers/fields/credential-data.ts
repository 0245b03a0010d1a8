/** The values of a credential, by the ids of the provider's authentications. Never logged, never sent back. */
export type CredentialData = Record<string, string>
