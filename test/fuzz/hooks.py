"""What no schema can tell: what is there, what the calendar and the clock say, which fields must be in order.

Only text of the described shape is replaced: another type or shape is what the case is about.
"""

import datetime
import hashlib
import os
import re

import schemathesis

known = {name.removeprefix("FUZZ_").lower(): value for name, value in os.environ.items() if name.startswith("FUZZ_")}
link = f"{known['domain']}/{known['hash']}"

# Nearly every answer would be 400, 403 or 404 otherwise.
there = {
    "group_guid": known["group"],
    "group_guids": known["group"],
    "default_group_guid": known["group"],
    "organization_guid": known["organization"],
    "plan": "unlimited",
    "campaign_guid": known["campaign"],
    "channel_guid": known["channel"],
    "channel_guids": known["channel"],
    "app_guid": known["app"],
    "app_id": known["app"],
    "domain_preference": known["domain"],
    "bsds": known["branded_domain"],
    "search_after": known["search_after"],
    "zone": "Europe/Berlin",
    "uri_scheme": "myapp",
}
shortlinks = {"shortlink_id", "links", "shortlinks"}
urls = {"long_url", "root_url", "not_found_url", "link", "store_url", "redirect_uris"}
moments = {"unit_reference", "start_date", "end_date"}

no_controls = r"[^\x00-\x1f\x7f-\x9f]*"
shapes = {
    "search_after": r"[A-Za-z0-9_-]+",
    "campaign_guid": no_controls,
    "channel_guid": no_controls,
    "channel_guids": no_controls,
    "bsds": r"[A-Za-z0-9.-]{1,253}",
    "zone": r"[A-Za-z][A-Za-z0-9_+/-]*",
    "uri_scheme": r"[A-Za-z][A-Za-z0-9+.-]{0,63}(:(//)?)?",
    "app_guid": r"[0-9A-Za-z._-]{1,255}",
    "app_id": r"[0-9A-Za-z._-]{1,255}",
}


@schemathesis.hook
def before_call(ctx, case, kwargs):
    spare(case.operation.label, case.path_parameters)
    case.body = real(case.body)
    if case.query:
        case.query = real(dict(case.query))
    if not case.meta or not case.meta.generation.mode.is_positive:
        # An empty value is an absent one (allowEmptyValue, which Schemathesis does not know): never refused.
        case.query = {name: "?" if value == "" else value for name, value in (case.query or {}).items()}
        return
    if case.query:
        in_order(case.query, "start_date", "end_date")
        # So many months begin before the year 1.
        if case.query.get("unit") == "month" and str(case.query.get("units", "")).isdigit():
            case.query["unit"] = "week"
    if isinstance(case.body, dict):
        if case.operation.label in own_names:
            own_names[case.operation.label](case.body)
        # A link has at most 100 tags, a group 1000, whichever request brought them.
        for name in ["tags", "add_tags", "remove_tags"]:
            if case.body.get(name):
                case.body[name] = sorted({f"tag{len(tag)}" for tag in case.body[name]})
        # The other cases need the branded domain in the group.
        for name in ["bsds", "group_guids"]:
            if case.body.get(name) == []:
                case.body.pop(name)
        in_order(case.body, "unix_from", "unix_to")
        for each in case.body.get("deeplinks") or []:
            # The system of the application.
            each["os"] = "ios"


def spare(label, path):
    """The other cases need the link, the branded domain, and the token that they are asked with."""
    if label == "DELETE /v4/shortlinks/{domain}/{hash}" and path.get("hash") == known["hash"]:
        path["hash"] = known["spare_hash"]
    if label == "DELETE /v4/organizations/{organization_guid}/domains/{domain}" and path.get("domain") == known["branded_domain"]:
        path["domain"] = "gone.example.com"
    if label == "DELETE /v4/user/tokens/{guid}" and path.get("guid") == known["token_guid"]:
        path["guid"] = "Tabcdefghij"


def real(value, name=None):
    if isinstance(value, dict):
        return {key: real(each, key) for key, each in value.items()}
    if isinstance(value, list):
        return [real(each, name) for each in value]
    if not isinstance(value, str) or value == "":
        return value
    if name in there and re.fullmatch(shapes.get(name, ".*"), value, re.DOTALL):
        return there[name]
    if name in shortlinks and re.fullmatch(r"(https?://)?[A-Za-z0-9.:\[\]_-]{1,255}/[A-Za-z0-9_-]{1,50}", value, re.IGNORECASE):
        return link
    # Which host names there are, no pattern can tell.
    if name in urls and re.match(r"[a-z][a-z0-9+.-]*:", value, re.IGNORECASE) and len(value) <= 2048:
        return f"https://example.com/{digest(value)}"
    # Nor which characters are letters, without \p.
    if name in ("tags", "add_tags", "remove_tags", "tag"):
        return re.sub(r"[^\x00-\x7f]", "ä", value)
    # A pattern does not know how long a month is.
    if name in moments and re.match(r"\d{4}-\d\d-(0[1-9]|[12]\d|3[01])", value):
        return f"2026-01-{min(int(value[8:10]), 28):02}{value[10:]}"
    # It must lie between five minutes and one year from now.
    if name == "expiration_at" and re.match(r"\d{4}-\d\d-\d\dT", value):
        tomorrow = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(days=1)
        return tomorrow.strftime("%Y-%m-%dT%H:%M:%S+0000")
    return value


def in_order(fields, first, last):
    """Both or neither, and the first before the last."""
    if fields.get(first) in (None, "") or fields.get(last) in (None, "") or fields[first] == fields[last]:
        fields.pop(first, None)
        fields.pop(last, None)
    else:
        fields[first], fields[last] = sorted([fields[first], fields[last]])


# Names that are the caller's to choose, among those that are possible.


def short_domain(body):
    if body.get("domain"):
        body["domain"] = known["domain"]


def new_domain(body):
    body["domain"] = f"{digest(body['domain'])}.example.com"


def new_keyword(body):
    branded_link(body)
    body["custom_shortlink"] = f"{known['branded_domain']}/{digest(body['custom_shortlink'])}"


def branded_link(body):
    # A link and its keywords are on one domain.
    body["shortlink_id"] = known["branded_link"]


def new_address(body):
    body["email"] = f"{digest(body['email'])}@example.com"


def digest(text):
    return hashlib.sha256(text.encode()).hexdigest()[:8]


own_names = {
    "POST /v4/shorten": short_domain,
    "POST /v4/shortlinks": short_domain,
    "POST /v4/organizations/{organization_guid}/domains": new_domain,
    "POST /v4/custom_shortlinks": new_keyword,
    "PATCH /v4/custom_shortlinks/{domain}/{keyword}": branded_link,
    "POST /v4/organizations/{organization_guid}/invitations": new_address,
}
