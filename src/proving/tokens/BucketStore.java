import com.sun.net.httpserver.HttpServer;
import io.github.bucket4j.Bandwidth;
import io.github.bucket4j.Bucket;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;

/**
 * Bucket4j as a store of tokens: words port and refill (greedy or intervally); GET /take, /look and /add with scope,
 * limit, window and amount. What is added beyond its room becomes a debt.
 */
public final class BucketStore {
  static Map<String, String> pairs(String text, String between) {
    Map<String, String> found = new HashMap<>();
    for (String word : text.split(between)) {
      String[] parts = word.split("=", 2);
      if (parts.length == 2) found.put(parts[0], parts[1]);
    }
    return found;
  }

  public static void main(String[] args) throws Exception {
    Map<String, String> words = pairs(String.join("&", args), "&");
    Map<String, Bucket> buckets = new ConcurrentHashMap<>();
    var server = HttpServer.create(new InetSocketAddress("127.0.0.1", Integer.parseInt(words.get("port"))), 0);
    server.setExecutor(Executors.newFixedThreadPool(4));
    server.createContext("/", exchange -> {
      var query = pairs(exchange.getRequestURI().getQuery(), "&");
      long limit = Long.parseLong(query.get("limit"));
      Duration window = Duration.ofMillis(Long.parseLong(query.get("window")));
      long amount = Long.parseLong(query.get("amount"));
      Bucket bucket = buckets.computeIfAbsent(query.get("scope"), name -> {
        var refill = Bandwidth.builder().capacity(limit);
        return Bucket.builder().addLimit(words.get("refill").equals("greedy")
            ? refill.refillGreedy(limit, window).build()
            : refill.refillIntervally(limit, window).build()).build();
      });
      boolean admitted = true;
      double wait = 0;
      switch (exchange.getRequestURI().getPath()) {
        case "/take" -> {
          var probe = bucket.tryConsumeAndReturnRemaining(Math.min(limit, amount));
          admitted = probe.isConsumed();
          wait = Math.ceil(probe.getNanosToWaitForRefill() / 1e9);
        }
        case "/look" -> {
          var probe = bucket.estimateAbilityToConsume(1);
          admitted = probe.canBeConsumed();
          wait = Math.ceil(probe.getNanosToWaitForRefill() / 1e9);
        }
        default -> {
          if (amount < 0) bucket.addTokens(-amount);
          else if (amount > 0) bucket.consumeIgnoringRateLimits(amount);
        }
      }
      byte[] body = ("{\"admitted\":" + admitted + ",\"wait\":" + (long) wait + ",\"rest\":"
          + bucket.getAvailableTokens() + "}").getBytes(StandardCharsets.UTF_8);
      exchange.sendResponseHeaders(200, body.length);
      exchange.getResponseBody().write(body);
      exchange.close();
    });
    server.start();
  }
}
