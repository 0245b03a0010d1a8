/** Since when a cluster is available: a plan, a burst or another change while it runs does not start that again. */
export const availableSince = `
alter table clusters add available_since timestamptz;
update clusters set available_since = state_since where state = 'available';
`
