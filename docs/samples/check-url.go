// Checks a URL.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/url"
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

func main() {
	query := url.Values{"url": {"hxxps://found.weir[.]test/login?a=1&b=2"}}
	response, err := client.Get(weir() + "/api/check-url?" + query.Encode())
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

	var answer struct {
		URL, Status string
		Reasons     []struct{ Code, Message string }
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s: %s\n", answer.URL, answer.Status)
	for _, reason := range answer.Reasons {
		fmt.Printf("  %s: %s\n", reason.Code, reason.Message)
	}
}
