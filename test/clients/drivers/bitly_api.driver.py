"""PyPI bitly_api, a client of v3 for Python 2, and bitly-api-py3, the same for Python 3"""

import warnings

import bitly_api
from calls import call, methods_of, offers, world

warnings.simplefilter("ignore")
offers(methods_of(bitly_api.Connection))

client = bitly_api.Connection(access_token=world["token"])
client.host = client.ssl_host = "links.example.com"
link, hash_, long_url = world["link"], world["hash"], world["longUrl"]
window = {"unit": "day", "units": 7, "tz_offset": -5, "rollup": True, "limit": 10, "unit_reference_ts": "now"}


def tried(name, *args, **kwargs):
    check = kwargs.pop("check", lambda answer: True)
    return call(name, lambda: getattr(client, name)(*args, **kwargs), check)


tried("shorten", long_url, check=lambda data: data["url"] == link)
tried("expand", link=[link, link], check=lambda rows: rows[1]["long_url"] == long_url)
tried("info", hash=hash_, check=lambda rows: rows[0]["created_by"] == world["login"])
tried("link_lookup", long_url, check=lambda rows: "aggregate_link" in rows[0])
tried("lookup", long_url, check=lambda rows: "global_hash" in rows[0])
tried("user_link_lookup", long_url, check=lambda rows: rows[0]["link"] == link)
tried(
    "user_link_save",
    longUrl="https://example.com/saved",
    title="T",
    note="n",
    private=True,
    user_ts=1500000000,
    check=lambda saved: saved["new_link"] == 1,
)
tried(
    "user_link_edit",
    link,
    "title,note,private,archived",
    title="T",
    note="n",
    private=False,
    archived="false",
    check=lambda edited: edited["link"] == link,
)
tried("clicks", shortUrl=link, check=lambda rows: rows[0]["user_clicks"] == 2)
tried("clicks_by_day", hash=hash_, check=lambda rows: sum(day["clicks"] for day in rows[0]["clicks"]) == 2)
tried("clicks_by_minute", hash=hash_, check=lambda rows: len(rows[0]["clicks"]) == 60)
tried("referrers", hash=hash_, check=lambda rows: rows[0]["clicks"] == 2)

tried("link_clicks", link, check=lambda clicks: clicks == 2, **window)
tried("link_countries", link, check=lambda rows: rows[0]["clicks"] == 2, **window)
tried("link_referrers", link, check=lambda rows: rows[0]["clicks"] == 2, **window)
tried("link_referring_domains", link, check=lambda rows: rows[0]["clicks"] == 2, **window)
tried("link_referrers_by_domain", link, check=lambda domains: len(domains) == 1, **window)
tried("link_encoders", link, check=lambda data: data["entries"][0]["user"] == world["login"])
tried("link_encoders_count", link, check=lambda data: data["count"] == 1)
tried("link_shares", link, check=lambda data: data["total_shares"] == 0, **window)
tried("link_info", link, check=lambda data: data["original_url"] == long_url)

tried("user_clicks", check=lambda data: data["user_clicks"] == 2, **window)
tried("user_countries", check=lambda rows: rows[0]["clicks"] == 2, **window)
tried("user_referrers", check=lambda rows: rows[0]["clicks"] == 2, **window)
tried("user_referring_domains", check=lambda rows: rows[0]["clicks"] == 2, **window)
tried("user_popular_links", check=lambda rows: rows[0]["clicks"] == 2, **window)
tried("user_shorten_counts", check=lambda count: count > 1, **window)
tried("user_share_counts", check=lambda count: count == 0, **window)
tried("user_share_counts_by_share_type", check=lambda rows: rows == [], **window)
tried("user_tracking_domain_list", check=lambda domains: "example.com" in domains)
tried("user_tracking_domain_clicks", "example.com", check=lambda clicks: clicks == 2, **window)
tried("user_tracking_domain_shorten_counts", "example.com", check=lambda count: count > 1, **window)
tried("user_info", check=lambda data: data["login"] == world["login"])
tried(
    "user_link_history",
    created_after=1,
    created_before=4000000000,
    archived="both",
    private="both",
    limit=5,
    offset=0,
    check=lambda rows: len(rows) > 1,
)
tried("user_network_history", limit=5, offset=0, expand_user=True, check=lambda data: "entries" in data)
tried("pro_domain", world["custom"].split("/")[0], check=lambda answer: answer is True)

tried("search", "known", check=lambda rows: rows[0]["link"] == link)

# What the service does not offer: bundles, and figures of a public service.
tried("bundle_archive", link)
tried("bundle_bundles_by_user")
tried("bundle_clone", link)
tried("bundle_collaborator_add", link, "ada")
tried("bundle_collaborator_remove", link, "ada")
tried("bundle_contents", link)
tried("bundle_create", title="T")
tried("bundle_edit", link, edit="title", title="T")
tried("bundle_link_add", link, link)
tried("bundle_link_comment_add", link, link, "c")
tried("bundle_link_comment_edit", link, link, "1", "c")
tried("bundle_link_comment_remove", link, link, "1")
tried("bundle_link_edit", link, link, "title", title="T")
tried("bundle_link_remove", link, link)
tried("bundle_link_reorder", link, link, 1)
tried("bundle_pending_collaborator_remove", link, "ada")
tried("bundle_view_count", link)
tried("user_bundle_history")
tried("highvalue")
tried("realtime_bursting_phrases")
tried("realtime_hot_phrases")
tried("realtime_clickrate", "phrase")
tried("link_content", link)
tried("link_category", link)
tried("link_social", link)
tried("link_location", link)
tried("link_language", link)

# With a login and an API key the client uses plain HTTP.
client = bitly_api.Connection(world["login"], world["apiKey"])
client.host = "links.example.com"
call("shorten with login and API key", lambda: client.shorten(long_url), lambda data: data["url"] == link)
call(
    "expand with login and API key",
    lambda: client.expand(hash=hash_),
    lambda rows: rows[0]["long_url"] == long_url,
)
