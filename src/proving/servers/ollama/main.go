// A server of Ollama's OpenAI interface: its own middleware, before a stub of its handlers, since its runner needs a model.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/ollama/ollama/api"
	"github.com/ollama/ollama/middleware"
)

// The times of the stub.
const first, gap = 80 * time.Millisecond, 12 * time.Millisecond

// The native answers of Ollama, as server/routes.go writes them: a JSON line for each part, the last with its counts.
func chat(c *gin.Context) {
	var req api.ChatRequest
	if err := c.ShouldBindJSON(&req); err != nil {
		c.AbortWithStatusJSON(http.StatusBadRequest, gin.H{"error": err.Error()})
		return
	}
	if req.Model == "missing" {
		c.JSON(http.StatusNotFound, gin.H{"error": fmt.Sprintf("model '%s' not found", req.Model)})
		return
	}
	parts := 24
	if most, ok := req.Options["num_predict"].(float64); ok && int(most) < parts {
		parts = int(most)
	}
	prompt := 0
	for _, message := range req.Messages {
		prompt += len(strings.Fields(message.Content))
	}
	metrics := api.Metrics{PromptEvalCount: prompt, EvalCount: parts, TotalDuration: time.Second}
	reason := "length"
	if parts == 24 {
		reason = "stop"
	}
	if req.Model == "unloaded" {
		reason, parts = "load", 0
		metrics = api.Metrics{}
	}
	if req.Stream != nil && !*req.Stream {
		time.Sleep(first + time.Duration(parts)*gap)
		if req.Model == "failing" {
			c.JSON(http.StatusInternalServerError, gin.H{"error": "llama runner process has terminated"})
			return
		}
		c.JSON(http.StatusOK, api.ChatResponse{Model: req.Model, CreatedAt: time.Now(), Done: true, DoneReason: reason, Metrics: metrics,
			Message: api.Message{Role: "assistant", Content: strings.Repeat("word ", parts)}})
		return
	}
	c.Header("Content-Type", "application/x-ndjson")
	time.Sleep(first)
	send := func(answer any) {
		line, _ := json.Marshal(answer)
		c.Writer.Write(append(line, '\n'))
		c.Writer.Flush()
	}
	for i := 0; i < parts; i++ {
		if req.Model == "failing" && i == 5 {
			send(gin.H{"error": "llama runner process has terminated"})
			return
		}
		send(api.ChatResponse{Model: req.Model, CreatedAt: time.Now(), Message: api.Message{Role: "assistant", Content: "word "}})
		time.Sleep(gap)
	}
	send(api.ChatResponse{Model: req.Model, CreatedAt: time.Now(), Message: api.Message{Role: "assistant"}, Done: true, DoneReason: reason, Metrics: metrics})
}

func list(c *gin.Context) {
	c.JSON(http.StatusOK, api.ListResponse{Models: []api.ListModelResponse{{Name: "ollama", Model: "ollama", ModifiedAt: time.Now()}}})
}

func main() {
	gin.SetMode(gin.ReleaseMode)
	port, _ := strconv.Atoi(os.Args[1])
	file, err := os.Create(os.Args[2])
	if err != nil {
		panic(err)
	}
	log := bufio.NewWriter(file)
	router := gin.New()
	router.Use(func(c *gin.Context) {
		c.Next()
		id := c.GetHeader("x-request-id")
		if id == "" {
			id = "-"
		}
		fmt.Fprintf(log, "%s %s %d %s\n", c.Request.Method, c.Request.URL.Path, c.Writer.Status(), id)
		log.Flush()
	})
	router.GET("/v1/models", middleware.ListMiddleware(), list)
	router.POST("/v1/chat/completions", middleware.ChatMiddleware(), chat)
	if err := router.Run(fmt.Sprintf("127.0.0.1:%d", port)); err != nil {
		panic(err)
	}
}
