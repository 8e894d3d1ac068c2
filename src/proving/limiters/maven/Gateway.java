import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.github.bucket4j.Bandwidth;
import io.github.bucket4j.Bucket;
import io.github.resilience4j.ratelimiter.RateLimiter;
import io.github.resilience4j.ratelimiter.RateLimiterConfig;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * A small OpenAI-like gateway behind a rate limiter of Maven Central. Every word of its command line is
 * name=value: port, limiter, limit, window in ms, and log (a line `METHOD PATH STATUS REQUEST-ID` for each
 * request), and optionally headers=none (no limit headers).
 */
public final class Gateway {
  /** What a limiter decided; -1 stands for what it does not say. */
  record Decision(boolean admitted, long remaining, double retryAfter) {}

  static final String MODEL = "proving/small";
  static final String USAGE = "{\"prompt_tokens\":4,\"completion_tokens\":3,\"total_tokens\":7}";
  static final Set<String> KEYS = Set.of("sk-proving-1", "sk-proving-2");
  static final Map<String, String> WORDS = new HashMap<>();

  /** One limiter for each key, made when its first request comes. */
  static Function<String, Decision> forEachKey(Supplier<Supplier<Decision>> create) {
    Map<String, Supplier<Decision>> own = new ConcurrentHashMap<>();
    return key -> own.computeIfAbsent(key, ignored -> create.get()).get();
  }

  static Function<String, Decision> bucket(Bandwidth bandwidth) {
    return forEachKey(() -> {
      Bucket bucket = Bucket.builder().addLimit(bandwidth).build();
      return () -> {
        var probe = bucket.tryConsumeAndReturnRemaining(1);
        double wait = probe.isConsumed() ? -1 : probe.getNanosToWaitForRefill() / 1e9;
        return new Decision(probe.isConsumed(), probe.getRemainingTokens(), wait);
      };
    });
  }

  static Function<String, Decision> makeLimiter(String name, int limit, Duration window) {
    return switch (name) {
      case "bucket4j-greedy" ->
          bucket(Bandwidth.builder().capacity(limit).refillGreedy(limit, window).build());
      case "bucket4j-intervally" ->
          bucket(Bandwidth.builder().capacity(limit).refillIntervally(limit, window).build());
      case "resilience4j" -> forEachKey(() -> {
        var config = RateLimiterConfig.custom().limitForPeriod(limit).limitRefreshPeriod(window)
            .timeoutDuration(Duration.ZERO).build();
        RateLimiter limiter = RateLimiter.of("key", config);
        return () -> new Decision(limiter.acquirePermission(),
            limiter.getMetrics().getAvailablePermissions(), -1);
      });
      default -> throw new IllegalArgumentException("unknown limiter " + name);
    };
  }

  static synchronized void note(HttpExchange exchange, int status) throws IOException {
    String id = exchange.getRequestHeaders().getFirst("x-request-id");
    String line = exchange.getRequestMethod() + " " + exchange.getRequestURI().getPath() + " " + status
        + " " + (id == null ? "-" : id) + "\n";
    Files.writeString(Path.of(WORDS.get("log")), line, StandardOpenOption.CREATE,
        StandardOpenOption.APPEND);
  }

  static void send(HttpExchange exchange, int status, String type, String body) throws IOException {
    note(exchange, status);
    exchange.getRequestBody().readAllBytes();
    exchange.getResponseHeaders().set("content-type", type);
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(status, bytes.length);
    exchange.getResponseBody().write(bytes);
    exchange.close();
  }

  static void fail(HttpExchange exchange, int status, String type, String code) throws IOException {
    String body = "{\"error\":{\"message\":\"%s\",\"type\":\"%s\",\"code\":\"%s\"}}";
    send(exchange, status, "application/json", body.formatted(code, type, code));
  }

  static String chunk(String delta, String finish) {
    return ("data: {\"id\":\"chatcmpl-1\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"%s\","
        + "\"choices\":[{\"index\":0,\"delta\":%s,\"finish_reason\":%s}]}\n\n").formatted(MODEL, delta, finish);
  }

  static void complete(HttpExchange exchange) throws IOException {
    String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
    String head = "{\"id\":\"chatcmpl-1\",\"created\":1,\"model\":\"" + MODEL + "\",\"usage\":" + USAGE;
    if (!body.contains("\"model\":\"" + MODEL + "\"")) {
      fail(exchange, 404, "invalid_request_error", "model_not_found");
    } else if (body.contains("\"temperature\":9")) {
      fail(exchange, 400, "invalid_request_error", "invalid_temperature");
    } else if (body.contains("\"stream\":true")) {
      send(exchange, 200, "text/event-stream", chunk("{\"role\":\"assistant\",\"content\":\"\"}", "null")
          + chunk("{\"content\":\"Yes, sir.\"}", "null") + chunk("{}", "\"stop\"")
          + "data: " + head + ",\"object\":\"chat.completion.chunk\",\"choices\":[]}\n\ndata: [DONE]\n\n");
    } else {
      send(exchange, 200, "application/json", head + ",\"object\":\"chat.completion\",\"choices\":[{\"index\":0,"
          + "\"message\":{\"role\":\"assistant\",\"content\":\"Yes, sir.\"},\"finish_reason\":\"stop\"}]}");
    }
  }

  public static void main(String[] args) throws IOException {
    for (String word : args) {
      String[] parts = word.split("=", 2);
      WORDS.put(parts[0], parts[1]);
    }
    int limit = Integer.parseInt(WORDS.get("limit"));
    Duration window = Duration.ofMillis(Long.parseLong(WORDS.get("window")));
    var decide = makeLimiter(WORDS.get("limiter"), limit, window);
    var port = Integer.parseInt(WORDS.get("port"));
    HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", port), 0);
    server.setExecutor(Executors.newFixedThreadPool(32));
    server.createContext("/", exchange -> {
      String header = exchange.getRequestHeaders().getFirst("authorization");
      String key = header == null ? "" : header.replaceFirst("^Bearer ", "");
      String path = exchange.getRequestURI().getPath();
      if (!KEYS.contains(key)) {
        fail(exchange, 401, "authentication_error", "invalid_api_key");
      } else if (path.equals("/v1/models")) {
        send(exchange, 200, "application/json",
            "{\"object\":\"list\",\"data\":[{\"id\":\"" + MODEL + "\",\"object\":\"model\",\"created\":1,\"owned_by\":\"proving\"}]}");
      } else if (!path.equals("/v1/chat/completions")) {
        fail(exchange, 404, "not_found", "not_found");
      } else {
        Decision decision = decide.apply(key);
        var headers = exchange.getResponseHeaders();
        if (decision.remaining() >= 0 && !"none".equals(WORDS.get("headers"))) {
          headers.set("x-ratelimit-api_key-limit-requests", String.valueOf(limit));
          headers.set("x-ratelimit-api_key-remaining-requests", String.valueOf(decision.remaining()));
        }
        if (decision.admitted()) {
          complete(exchange);
        } else {
          if (decision.retryAfter() >= 0) {
            headers.set("retry-after", String.valueOf((long) Math.ceil(decision.retryAfter())));
          }
          fail(exchange, 429, "rate_limit_error", "rate_limit_exceeded");
        }
      }
    });
    server.start();
  }
}
