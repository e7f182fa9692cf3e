// Fills the tables with links by SQL that both engines understand, bypassing the service.
export const domain = 'sho.rt'
export const bigGroup = 'Bbiggroup01'
export const commonTag = 'spring'

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const hashes = 62 ** 7
// A prime that scatters consecutive numbers over all hashes without duplicates.
const scatter = 2_654_435_761

/**
 * Every second link is in the big group (or the one given), the others are in a thousand groups; a tenth of the big group's links has
 * the common tag. As in production, links are in creation order and their hashes are random.
 */
export function seedStatements(count, group = bigGroup) {
  return [
    `with recursive
       numbers (i) as (select cast(1 as bigint) union all select i + 1 from numbers where i < ${count}),
       drawn as materialized (
         select i, ${base62('i')} as hash,
           ${base62('3 * i + 1')} || ${base62('5 * i + 2')} || ${base62('7 * i + 3')} || '0' as url_key,
           case when i % 2 = 0 then '${group}' else 'B' || cast(1000000000 + i % 1000 as text) end as group_guid
         from numbers
       )
     insert into links (id, domain, hash, group_guid, long_url, long_url_key, reuse_key, created_at, modified_at, created_by)
     select '${domain}/' || hash, '${domain}', hash, group_guid,
       'https://www.example.com/shop/products/' || cast(i as text) || '?utm_source=newsletter&utm_medium=email', url_key,
       url_key || '/' || group_guid || '/${domain}', 1600000000000 + i * 1000, 1600000000000 + i * 1000, 'seed'
     from drawn`,
    `insert into addresses (address, kind, link_id, created_at)
     select id, 'hash', id, created_at from links where domain = '${domain}' order by id`,
    `insert into link_tags (link_id, tag, position, group_guid, created_at)
     select id, '${commonTag}', 0, group_guid, created_at from links where domain = '${domain}' and created_at % 20000 = 0`,
  ]
}

/** The address of the link with this number, starting at 1. */
export function address(number) {
  let value = Number((BigInt(number) * BigInt(scatter)) % BigInt(hashes))
  let hash = ''
  for (let place = 0; place < 7; place++) {
    hash += digits[value % 62]
    value = Math.floor(value / 62)
  }
  return `${domain}/${hash}`
}

function base62(value) {
  const scattered = `(((${value}) * ${scatter}) % ${hashes})`
  const digit = (place) => `substr('${digits}', cast((${scattered} / ${62 ** place}) % 62 as integer) + 1, 1)`
  return Array.from({ length: 7 }, (_, place) => digit(place)).join(' || ')
}
