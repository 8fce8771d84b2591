// Checks up to 500 URLs, domains and digests in one call.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"time"
)

var client = http.Client{Timeout: 10 * time.Second}

func weir() string {
	if len(os.Args) > 1 {
		return os.Args[1]
	}
	if address := os.Getenv("WEIR"); address != "" {
		return address
	}
	return "http://127.0.0.1:8080"
}

type item struct{ Value, Status string }

func main() {
	question, err := json.Marshal(map[string][]string{
		"urls":    {"https://found.weir.test/login", "https://shared.weir.test/"},
		"domains": {"suspicious.weir.test", "clean.weir.test", "not a name"},
	})
	if err != nil {
		log.Fatal(err)
	}
	response, err := client.Post(weir()+"/api/v1/check/bulk",
		"application/json", bytes.NewReader(question))
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		log.Fatal(err)
	}
	if response.StatusCode != http.StatusOK {
		log.Fatalf("%s: %s", response.Status, body)
	}

	// The answers are in the order of the items; an item that cannot be parsed is "invalid".
	var answer struct{ URLs, Domains []item }
	if err := json.Unmarshal(body, &answer); err != nil {
		log.Fatal(err)
	}
	for _, item := range append(answer.URLs, answer.Domains...) {
		fmt.Printf("%s: %s\n", item.Value, item.Status)
	}
}
