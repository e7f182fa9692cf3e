"""Bodies and queries name things that are there, and keep to rules that no schema can tell; each says which."""

import datetime
import hashlib
import os
import re

import schemathesis

link = f"{os.environ['FUZZ_DOMAIN']}/{os.environ['FUZZ_HASH']}"

branded = os.environ["FUZZ_BRANDED_DOMAIN"]

# What is there: nearly every answer would be 403 or 404 otherwise.
there = {
    "group_guid": os.environ["FUZZ_GROUP"],
    "default_group_guid": os.environ["FUZZ_GROUP"],
    "organization_guid": os.environ["FUZZ_ORGANIZATION"],
    "plan": "unlimited",
}
addresses = {"shortlink_id", "links", "shortlinks"}
# Which host names there are, no pattern can tell.
urls = {"long_url", "root_url", "not_found_url", "link", "store_url", "redirect_uris"}
# An empty text is an absent value in any optional field of a body, also where the type is another: never refused.
no_text = {
    *["force_new_link", "archived", "archive", "include_metrics", "require_oauth_pkce", "force"],
    *["tags", "add_tags", "remove_tags", "deeplinks", "dynamic_routing", "shortlinks", "redirect_uris"],
    *["channel_guids", "group_guids", "bsds", "sha256_cert_fingerprints", "paths", "filter", "unix_from", "unix_to"],
    *["role", "os", "install_type"],
    *[f"{what}_{how}" for what in ["country", "region", "device", "os"] for how in ["match", "exclude"]],
}
# A pattern does not know how long a month is.
moments = {"unit_reference", "start_date", "end_date"}


@schemathesis.hook
def before_call(ctx, case, kwargs):
    spare(case.operation.label, case.path_parameters)
    case.body = known(case.body)
    # Tags are looked at for one action alone.
    if isinstance(case.body, dict) and (case.body.get("add_tags") or case.body.get("remove_tags")):
        case.body["action"] = "edit_tags" if case.body.get("action") == "archive" else case.body.get("action")
    if isinstance(case.body, dict) and case.meta and case.meta.generation.mode.is_positive:
        together = fields_together.get(case.operation.label)
        if together:
            together(case.body)
    if case.query:
        case.query = known(dict(case.query))
        if case.meta and case.meta.generation.mode.is_positive:
            window(case.query)
        else:
            # An empty value is an absent one (allowEmptyValue, which Schemathesis does not know): never refused.
            case.query = {name: "?" if value == "" else value for name, value in case.query.items()}


def spare(label, path):
    """The other cases need the link, the branded domain, and the token that they are asked with."""
    if label == "DELETE /v4/shortlinks/{domain}/{hash}" and path.get("hash") == os.environ["FUZZ_HASH"]:
        path["hash"] = os.environ["FUZZ_SPARE_HASH"]
    if label == "DELETE /v4/organizations/{organization_guid}/domains/{domain}" and path.get("domain") == branded:
        path["domain"] = "gone.example.com"
    if label == "DELETE /v4/user/tokens/{guid}" and path.get("guid") == os.environ["FUZZ_TOKEN_GUID"]:
        path["guid"] = "Tabcdefghij"


def known(value, name=None):
    """Only what has the described shape is replaced: another type or shape is what the case is about."""
    if isinstance(value, dict):
        return {key: known(each, key) for key, each in value.items()}
    if isinstance(value, list):
        return [known(each, name) for each in value]
    if value == "" and name in no_text:
        return "?"
    if not isinstance(value, str) or value == "":
        return value
    if name == "zone" and re.fullmatch(r"[A-Za-z][A-Za-z0-9_+/-]*", value):
        return "Europe/Berlin"
    if name == "domain" and re.fullmatch(r"[^\s/?#@:\\%\[\]]+\.[^\s/?#@:\\%\[\]]+", value):
        return f"{hashlib.sha256(value.encode()).hexdigest()[:8]}.example.com"
    if name in there:
        return there[name]
    if name in addresses and re.fullmatch(r"[^/\s]+/[^/\s]+", value):
        return link
    if name in urls and re.match(r"[a-z][a-z0-9+.-]*:", value, re.IGNORECASE) and len(value) <= 2048:
        return f"https://example.com/{hashlib.sha256(value.encode()).hexdigest()[:8]}"
    if name in moments and re.match(r"\d{4}-\d\d-\d\d", value):
        return f"2026-01-{min(int(value[8:10]), 28):02}{value[10:]}" if value[8:10] != "00" else value
    # It must lie between five minutes and one year from now.
    if name == "expiration_at" and re.match(r"\d{4}-\d\d-\d\dT", value):
        tomorrow = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(days=1)
        return tomorrow.strftime("%Y-%m-%dT%H:%M:%S+0000")
    return value


# Fields that depend on each other.


def window(query):
    # So many months begin before the year 1.
    if query.get("unit") == "month" and str(query.get("units", "")).isdigit():
        query["unit"] = "week"
    if query.get("start_date") and query.get("end_date"):
        query["start_date"], query["end_date"] = sorted([query["start_date"], query["end_date"]])
    # They come from an answer, and are no others.
    query.pop("search_after", None)


def create_shortlink(body):
    body.pop("shortlink_id", None)
    body["long_url"] = body.get("long_url") or "https://example.com/"
    # The one domain that the service has.
    body.pop("domain", None)
    deeplinks(body)


def deeplinks(body):
    # Each names an application that is there, or a system.
    for each in body.get("deeplinks") or []:
        for name in ["guid", "app_guid", "app_id", "brand_guid"]:
            each.pop(name, None)
        each["os"] = each.get("os") or "ios"


def custom_shortlink(body):
    # Both on one branded domain.
    body["shortlink_id"] = os.environ["FUZZ_BRANDED_LINK"]
    body["custom_shortlink"] = f"{branded}/{hashlib.sha256(body['custom_shortlink'].encode()).hexdigest()[:8]}"


def shorten(body):
    body.pop("domain", None)


def change_shortlinks(body):
    if body["action"] == "archive":
        body["archive"] = bool(body.get("archive"))
    else:
        body["add_tags"] = body.get("add_tags") or ["tag"]


def mobile_app(body):
    for name in ["app_id", "paths"] if body.get("os") == "android" else ["package_name", "sha256_cert_fingerprints"]:
        body.pop(name, None)
    if body.get("uri_scheme"):
        body["uri_scheme"] = "myapp"


def export(body):
    if body["export_type"] == "link_engagements_batch" and body.get("shortlinks"):
        body.pop("filter", None)
    else:
        body.pop("shortlinks", None)
        body["filter"] = {}
    body.pop("unix_from", None)
    body.pop("unix_to", None)


def change_mobile_app(body):
    for name in ["app_id", "paths", "package_name", "sha256_cert_fingerprints"]:
        body.pop(name, None)


# Domains and groups that are there.
def group(body):
    body.pop("bsds", None)


def domain(body):
    body.pop("group_guids", None)


def invitation(body):
    body["email"] = f"{hashlib.sha256(body['email'].encode()).hexdigest()[:8]}@example.com"


def preferences(body):
    body.pop("domain_preference", None)


fields_together = {
    "POST /v4/shorten": shorten,
    "POST /v4/shortlinks": create_shortlink,
    "PATCH /v4/shortlinks/{domain}/{hash}": deeplinks,
    "POST /v4/custom_shortlinks": custom_shortlink,
    "PATCH /v4/groups/{group_guid}/shortlinks": change_shortlinks,
    "PATCH /v4/groups/{group_guid}/preferences": preferences,
    "PATCH /v4/groups/{group_guid}": group,
    "POST /v4/organizations/{organization_guid}/domains": domain,
    "PATCH /v4/organizations/{organization_guid}/domains/{domain}": domain,
    "POST /v4/organizations/{organization_guid}/invitations": invitation,
    "POST /v4/organizations/{organization_guid}/mobile_apps": mobile_app,
    "PATCH /v4/organizations/{organization_guid}/mobile_apps/{app_guid}": change_mobile_app,
    "POST /v4/groups/{group_guid}/exports": export,
}
