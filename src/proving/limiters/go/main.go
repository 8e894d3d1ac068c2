// A small OpenAI-like gateway behind a rate limiter of the Go module proxy. Every word of its command line
// is name=value: port, limiter, limit, window in ms, log (a line `METHOD PATH STATUS REQUEST-ID` for each
// request), and optionally burst (of limiters that have one) and headers=none (no limit headers).
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"math"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/go-chi/httprate"
	"github.com/throttled/throttled/v2"
	"github.com/throttled/throttled/v2/store/memstore"
	uber "go.uber.org/ratelimit"
	"golang.org/x/time/rate"
)

const model = "proving/small"
const usage = `{"prompt_tokens":4,"completion_tokens":3,"total_tokens":7}`

var keys = []string{"sk-proving-1", "sk-proving-2"}

// What a limiter decided; -1 stands for what it does not say.
type decision struct {
	admitted   bool
	remaining  int
	retryAfter float64
}

type decide func(key string) decision

var words = map[string]string{}

func number(name string, fallback int) int {
	if words[name] == "" {
		return fallback
	}
	value, err := strconv.Atoi(words[name])
	if err != nil {
		log.Fatal(err)
	}
	return value
}

// forEachKey makes one limiter for each key when its first request comes.
func forEachKey(create func() func() decision) decide {
	own := map[string]func() decision{}
	var lock sync.Mutex
	return func(key string) decision {
		lock.Lock()
		limiter, exists := own[key]
		if !exists {
			limiter = create()
			own[key] = limiter
		}
		lock.Unlock()
		return limiter()
	}
}

func makeLimiter(name string, limit, burst int, window time.Duration) decide {
	perSecond := rate.Limit(float64(limit) / window.Seconds())
	switch name {
	case "x-time-rate-allow":
		return forEachKey(func() func() decision {
			limiter := rate.NewLimiter(perSecond, burst)
			return func() decision {
				return decision{limiter.Allow(), int(math.Floor(limiter.Tokens())), -1}
			}
		})
	case "x-time-rate-wait":
		return forEachKey(func() func() decision {
			limiter := rate.NewLimiter(perSecond, burst)
			return func() decision {
				return decision{limiter.Wait(context.Background()) == nil, -1, -1}
			}
		})
	case "uber-ratelimit":
		return forEachKey(func() func() decision {
			limiter := uber.New(limit, uber.Per(window))
			return func() decision {
				limiter.Take()
				return decision{true, -1, -1}
			}
		})
	case "throttled":
		store, err := memstore.NewCtx(1000)
		if err != nil {
			log.Fatal(err)
		}
		quota := throttled.RateQuota{MaxRate: throttled.PerDuration(limit, window), MaxBurst: burst - 1}
		limiter, err := throttled.NewGCRARateLimiterCtx(store, quota)
		if err != nil {
			log.Fatal(err)
		}
		return func(key string) decision {
			limited, result, err := limiter.RateLimitCtx(context.Background(), key, 1)
			if err != nil {
				log.Fatal(err)
			}
			return decision{!limited, result.Remaining, result.RetryAfter.Seconds()}
		}
	}
	log.Fatalf("unknown limiter %s", name)
	return nil
}

var logLock sync.Mutex

// note writes the line of a request to the log.
func note(request *http.Request, status int) {
	logLock.Lock()
	defer logLock.Unlock()
	file, err := os.OpenFile(words["log"], os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		log.Fatal(err)
	}
	defer file.Close()
	id := request.Header.Get("x-request-id")
	if id == "" {
		id = "-"
	}
	fmt.Fprintf(file, "%s %s %d %s\n", request.Method, request.URL.Path, status, id)
}

func reply(writer http.ResponseWriter, request *http.Request, status int, body string) {
	note(request, status)
	writer.Header().Set("content-type", "application/json")
	writer.WriteHeader(status)
	io.WriteString(writer, body)
}

func fail(writer http.ResponseWriter, request *http.Request, status int, kind, code string) {
	body := fmt.Sprintf(`{"error":{"message":"%s","type":"%s","code":"%s"}}`, code, kind, code)
	reply(writer, request, status, body)
}

func refuse(writer http.ResponseWriter, request *http.Request) {
	fail(writer, request, 429, "rate_limit_error", "rate_limit_exceeded")
}

func keyOf(request *http.Request) string {
	return strings.TrimPrefix(request.Header.Get("authorization"), "Bearer ")
}

func complete(writer http.ResponseWriter, request *http.Request) {
	var body struct {
		Model       string
		Stream      bool
		Temperature float64
	}
	if err := json.NewDecoder(request.Body).Decode(&body); err != nil {
		fail(writer, request, 400, "invalid_request_error", "invalid_json")
		return
	}
	switch {
	case body.Model != model:
		fail(writer, request, 404, "invalid_request_error", "model_not_found")
	case body.Temperature > 2:
		fail(writer, request, 400, "invalid_request_error", "invalid_temperature")
	case body.Stream:
		note(request, 200)
		writer.Header().Set("content-type", "text/event-stream")
		head := `{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"` + model + `","choices":[`
		for _, delta := range []string{`{"role":"assistant","content":""}`, `{"content":"Yes"}`, `{"content":", sir."}`} {
			fmt.Fprintf(writer, "data: %s{\"index\":0,\"delta\":%s,\"finish_reason\":null}]}\n\n", head, delta)
		}
		fmt.Fprintf(writer, "data: %s{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n", head)
		fmt.Fprintf(writer, "data: %s],\"usage\":%s}\n\ndata: [DONE]\n\n", head, usage)
	default:
		reply(writer, request, 200, `{"id":"chatcmpl-1","object":"chat.completion","created":1,"model":"`+model+
			`","choices":[{"index":0,"message":{"role":"assistant","content":"Yes, sir."},"finish_reason":"stop"}],"usage":`+usage+`}`)
	}
}

func main() {
	for _, word := range os.Args[1:] {
		name, value, _ := strings.Cut(word, "=")
		words[name] = value
	}
	limit := number("limit", 60)
	window := time.Duration(number("window", 60000)) * time.Millisecond
	var chat http.Handler
	if words["limiter"] == "httprate" {
		chat = httprate.Limit(limit, window,
			httprate.WithKeyFuncs(func(request *http.Request) (string, error) { return keyOf(request), nil }),
			httprate.WithLimitHandler(refuse),
		)(http.HandlerFunc(complete))
	} else {
		decide := makeLimiter(words["limiter"], limit, number("burst", limit), window)
		chat = http.HandlerFunc(func(writer http.ResponseWriter, request *http.Request) {
			result := decide(keyOf(request))
			if result.remaining >= 0 && words["headers"] != "none" {
				writer.Header().Set("x-ratelimit-api_key-limit-requests", strconv.Itoa(limit))
				writer.Header().Set("x-ratelimit-api_key-remaining-requests", strconv.Itoa(result.remaining))
			}
			if result.admitted {
				complete(writer, request)
				return
			}
			if result.retryAfter >= 0 {
				writer.Header().Set("retry-after", strconv.Itoa(int(math.Ceil(result.retryAfter))))
			}
			refuse(writer, request)
		})
	}
	handler := func(writer http.ResponseWriter, request *http.Request) {
		key := keyOf(request)
		switch {
		case key != keys[0] && key != keys[1]:
			fail(writer, request, 401, "authentication_error", "invalid_api_key")
		case request.URL.Path == "/v1/models":
			reply(writer, request, 200, `{"object":"list","data":[{"id":"`+model+`","object":"model","created":1,"owned_by":"proving"}]}`)
		case request.URL.Path == "/v1/chat/completions":
			chat.ServeHTTP(writer, request)
		default:
			fail(writer, request, 404, "not_found", "not_found")
		}
	}
	log.Fatal(http.ListenAndServe("127.0.0.1:"+words["port"], http.HandlerFunc(handler)))
}
