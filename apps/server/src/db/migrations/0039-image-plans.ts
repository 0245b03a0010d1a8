/** The marketplace plan of the image that a stack's image was built from: Azure wants it again for machines from that image. */
export const imagePlans = `
alter table stack_images add plan jsonb;
`
