// Maven com.opsmatters:bitly-java-api. Run from its source, with the libraries in the class path.

import com.google.common.base.Optional;
import com.google.gson.Gson;
import com.google.gson.JsonObject;
import com.opsmatters.bitly.api.model.v4.*;
import com.opsmatters.bitly.api.services.HttpContext;
import com.opsmatters.bitly.api.services.v4.*;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.URL;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeSet;
import java.util.function.Predicate;

public class BitlyJavaApi {
  /** Written by the test: the address of the service, a token, and records to work with. */
  static JsonObject world;
  static final Gson gson = new Gson();

  interface Ask<T> {
    T ask() throws Exception;
  }

  static String of(String name) {
    return world.get(name).getAsString();
  }

  static void print(JsonObject line) {
    System.out.println(gson.toJson(line));
  }

  /** Public calls of the client, from its own classes: the test wants each of them tried. */
  static void offers(Object... services) {
    TreeSet<String> names = new TreeSet<>();
    for (Object service : services) {
      for (Method method : service.getClass().getDeclaredMethods()) {
        if (Modifier.isPublic(method.getModifiers())) names.add(nameOf(service) + "." + method.getName());
      }
    }
    JsonObject line = new JsonObject();
    line.add("offers", gson.toJsonTree(names));
    print(line);
  }

  static String nameOf(Object service) {
    String name = service.getClass().getSimpleName().replace("Service", "s");
    return Character.toLowerCase(name.charAt(0)) + name.substring(1);
  }

  /** Tells the test which call follows, so that it can note its requests. `check` says whether the answer is right. */
  static <T> T call(String name, Ask<T> ask, Predicate<T> check) throws Exception {
    String place = of("calls") + "/" + URLEncoder.encode(name, StandardCharsets.UTF_8);
    new URL(place).openStream().readAllBytes();
    JsonObject line = new JsonObject();
    line.addProperty("call", name);
    T answer = null;
    try {
      answer = ask.ask();
      boolean passed = check.test(answer);
      line.addProperty("passed", passed);
      if (!passed) line.addProperty("said", gson.toJson(answer));
    } catch (Throwable error) {
      line.addProperty("passed", false);
      line.addProperty("said", error.toString());
    }
    print(line);
    return answer;
  }

  static <T> T get(String name, Ask<Optional<T>> ask, Predicate<T> check) throws Exception {
    Optional<T> answer = call(name, ask, (found) -> found.isPresent() && check.test(found.get()));
    return answer == null ? null : answer.orNull();
  }

  static void run(String name, Ask<Object> ask) throws Exception {
    call(name, ask, (answer) -> true);
  }

  public static void main(String[] args) throws Exception {
    world = gson.fromJson(Files.readString(Path.of(args[0])), JsonObject.class);
    HttpContext http = new HttpContext("https", "links.example.com", world.get("httpsPort").getAsInt());
    String token = of("token");
    BitlinkService bitlinks = new BitlinkService(token, http);
    CustomBitlinkService customs = new CustomBitlinkService(token, http);
    GroupService groups = new GroupService(token, http);
    OrganizationService organizations = new OrganizationService(token, http);
    CampaignService campaigns = new CampaignService(token, http);
    CampaignChannelService channels = new CampaignChannelService(token, http);
    UserService users = new UserService(token, http);
    BsdService bsds = new BsdService(token, http);
    WebhookService webhooks = new WebhookService(token, http);
    AppService apps = new AppService(token, http);
    offers(bitlinks, customs, groups, organizations, campaigns, channels, users, bsds, webhooks, apps);

    String id = of("id");
    String longUrl = of("longUrl");
    String group = of("group");
    String organization = of("organization");
    String custom = of("custom");
    UnitQuery week = UnitQuery.builder().unit(Unit.DAY).units(7).size(20).build();
    UnitQuery always = UnitQuery.builder().build();

    get("bitlinks.shorten", () -> bitlinks.shorten(longUrl), (link) -> link.getId().equals(id));
    CreateBitlinkRequest request = new CreateBitlinkRequest();
    request.setLongUrl(longUrl);
    request.setDomain(of("domain"));
    get("bitlinks.shorten", () -> bitlinks.shorten(request), (link) -> link.getCustomBitlinks() != null);
    get(
      "bitlinks.create",
      () -> bitlinks.create(
        CreateFullBitlinkRequest.builder().title("Made").longUrl("https://example.com/made").tags(List.of("one", "two")).build()
      ),
      (link) -> link.getTitle().equals("Made") && link.getTags().size() == 2
    );
    get("bitlinks.get", () -> bitlinks.get(id), (link) -> link.getLongUrl().equals(longUrl));
    get("bitlinks.expand", () -> bitlinks.expand(id), (link) -> link.getLongUrl().equals(longUrl));
    get(
      "bitlinks.update",
      () -> bitlinks.update(id, UpdateBitlinkRequest.builder().title("New title").build()),
      (link) -> link.getTitle().equals("New title")
    );
    get("bitlinks.getClicks", () -> bitlinks.getClicks(id, week), (answer) -> answer.getLinkClicks().get(0).getClicks() == 2);
    get("bitlinks.getClicksSummary", () -> bitlinks.getClicksSummary(id, always), (answer) -> answer.getTotalClicks() == 2);
    get("bitlinks.getMetricsByCountries", () -> bitlinks.getMetricsByCountries(id, week), (a) -> a.getMetrics().size() == 1);
    get("bitlinks.getMetricsByReferrers", () -> bitlinks.getMetricsByReferrers(id, week), (a) -> a.getMetrics().size() == 1);
    get(
      "bitlinks.getMetricsByReferringDomains",
      () -> bitlinks.getMetricsByReferringDomains(id, week),
      (answer) -> answer.getMetrics().get(0).getClicks() == 2
    );
    get(
      "bitlinks.getMetricsByReferrersByDomain",
      () -> bitlinks.getMetricsByReferrersByDomain(id, week),
      (answer) -> answer.getReferrersByDomain().size() == 1
    );
    get("bitlinks.getQrCode", () -> bitlinks.getQrCode(of("withQrCode")), (code) -> code.getQrCode().startsWith("data:image/"));

    get(
      "customBitlinks.create",
      () -> customs.create(CreateCustomBitlinkRequest.builder().customBitlink(custom).bitlinkId(of("branded")).build()),
      (answer) -> json(answer).contains(of("branded"))
    );
    get(
      "customBitlinks.update",
      () -> customs.update(custom, UpdateCustomBitlinkRequest.builder().bitlinkId(of("brandedOther")).build()),
      (answer) -> json(answer).contains(of("brandedOther"))
    );
    get("customBitlinks.get", () -> customs.get(custom), (answer) -> json(answer).contains("\"bitlink_history\":[{"));
    get("customBitlinks.getMetricsByDestination", () -> customs.getMetricsByDestination(custom), (answer) -> true);

    get("groups.get", () -> groups.get(group), (answer) -> answer.getGuid().equals(group));
    get(
      "groups.update",
      () -> groups.update(group, UpdateGroupRequest.builder().name("Renamed").build()),
      (answer) -> answer.getName().equals("Renamed")
    );
    get("groups.list", () -> groups.list(organization), (answer) -> answer.getGroups().size() == 2);
    get("groups.getTags", () -> groups.getTags(group), (answer) -> answer.getTags().contains("one"));
    get("groups.getShortenCounts", () -> groups.getShortenCounts(group, week), (a) -> a.getFacet().equals("shorten_counts"));
    get("groups.getPreferences", () -> groups.getPreferences(group), (answer) -> true);
    get(
      "groups.updatePreferences",
      () -> groups.updatePreferences(
        group,
        UpdateGroupPreferencesRequest.builder().groupGuid(group).domainPreference(of("domain")).build()
      ),
      (answer) -> true
    );
    get(
      "groups.getBitlinks",
      () -> groups.getBitlinks(group, BitlinkQuery.builder().tags(List.of("one", "two")).page(1).size(10).build()),
      (answer) -> answer.getLinks().size() == 1
    );
    get(
      "groups.getSortedBitlinks",
      () -> groups.getSortedBitlinks(group, Sort.CLICKS, week),
      (answer) -> answer.getLinks().get(0).getId().equals(id)
    );
    get("groups.getMetricsByCountries", () -> groups.getMetricsByCountries(group, week), (a) -> a.getMetrics().size() == 1);
    get("groups.getMetricsByReferringNetworks", () -> groups.getMetricsByReferringNetworks(group), (a) -> a.getMetrics() != null);
    run("groups.delete", () -> {
      groups.delete(of("spareGroup"));
      return null;
    });

    get("organizations.get", () -> organizations.get(organization), (answer) -> answer.getGuid().equals(organization));
    get("organizations.list", () -> organizations.list(), (answer) -> answer.getOrganizations().size() == 1);
    get("organizations.getShortenCounts", () -> organizations.getShortenCounts(organization, week), (a) -> a.getMetrics() != null);

    Campaign campaign = get(
      "campaigns.create",
      () -> campaigns.create(CreateCampaignRequest.builder().name("Spring").groupGuid(group).build()),
      (answer) -> answer.getName().equals("Spring")
    );
    String campaignGuid = campaign == null ? "none" : campaign.getGuid();
    get("campaigns.get", () -> campaigns.get(campaignGuid), (answer) -> answer.getGuid().equals(campaignGuid));
    get(
      "campaigns.update",
      () -> campaigns.update(campaignGuid, UpdateCampaignRequest.builder().name("Summer").build()),
      (answer) -> answer.getName().equals("Summer")
    );
    get("campaigns.list", () -> campaigns.list(group), (answer) -> answer.getCampaigns().size() == 1);
    CampaignChannel channel = get(
      "campaignChannels.create",
      () -> channels.create(
        CreateChannelRequest.builder().name("Mail").groupGuid(group).bitlinks(List.of(new CampaignBitlink(campaignGuid, id))).build()
      ),
      (answer) -> answer.getName().equals("Mail")
    );
    String channelGuid = channel == null ? "none" : channel.getGuid();
    get("campaignChannels.get", () -> channels.get(channelGuid), (answer) -> answer.getGuid().equals(channelGuid));
    get(
      "campaignChannels.update",
      () -> channels.update(channelGuid, UpdateChannelRequest.builder().name("Post").build()),
      (answer) -> answer.getName().equals("Post")
    );
    get("campaignChannels.list", () -> channels.list(group, campaignGuid), (answer) -> answer.getChannels().size() == 1);

    get("users.get", () -> users.get(), (answer) -> answer.getLogin().equals(of("login")));
    get("users.update", () -> users.update(UpdateUserRequest.builder().name("Ada").build()), (a) -> a.getName().equals("Ada"));
    get("bsds.list", () -> bsds.list(), (answer) -> answer.getBsds().contains(custom.split("/")[0]));

    Webhook webhook = get(
      "webhooks.create",
      () -> webhooks.create(
        CreateWebhookRequest.builder().name("Hook").url(of("hook")).event("engagement").organizationGuid(organization).active(true).build()
      ),
      (answer) -> answer.getName().equals("Hook")
    );
    String webhookGuid = webhook == null ? "none" : webhook.getGuid();
    get("webhooks.get", () -> webhooks.get(webhookGuid), (answer) -> answer.getGuid().equals(webhookGuid));
    get(
      "webhooks.update",
      () -> webhooks.update(webhookGuid, UpdateWebhookRequest.builder().guid(webhookGuid).name("Other").active(true).build()),
      (answer) -> answer.getName().equals("Other")
    );
    get("webhooks.list", () -> webhooks.list(organization), (answer) -> answer.getWebhooks().size() == 1);
    run("webhooks.delete", () -> {
      webhooks.delete(webhookGuid);
      return null;
    });

    get("apps.get", () -> apps.get(of("clientId")), (answer) -> answer.getClientId().equals(of("clientId")));
  }

  /** Some answers of the client have no public methods to read them. */
  static String json(Object answer) {
    return gson.toJson(answer);
  }
}
