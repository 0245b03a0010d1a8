/** The values of a credential, by the ids of the provider's authentications. They are never logged or returned. */
export type CredentialData = Record<string, string>
