// Prints the block list, one domain per line: follows next_cursor.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"time"
)

var client = http.Client{Timeout: 60 * time.Second}

func weir() string {
	if len(os.Args) > 1 {
		return os.Args[1]
	}
	if address := os.Getenv("WEIR"); address != "" {
		return address
	}
	return "http://127.0.0.1:8080"
}

// get waits as long as the server asks if the limit is exhausted.
func get(path string, query url.Values, answer any) error {
	for tries := 0; tries < 5; tries++ {
		response, err := client.Get(weir() + path + "?" + query.Encode())
		if err != nil {
			return err
		}
		body, err := io.ReadAll(response.Body)
		response.Body.Close()
		switch {
		case err != nil:
			return err
		case response.StatusCode == http.StatusOK:
			return json.Unmarshal(body, answer)
		case response.StatusCode != 429 && response.StatusCode != 503:
			return fmt.Errorf("%s: %s", response.Status, body)
		}
		seconds, err := strconv.Atoi(response.Header.Get("Retry-After"))
		if err != nil {
			seconds = 1
		}
		time.Sleep(time.Duration(seconds) * time.Second)
	}
	return fmt.Errorf("%s stays busy", path)
}

type page struct {
	NextCursor *string `json:"next_cursor"`
	Domains    []struct {
		Domain     string
		DoNotBlock int `json:"do_not_block"`
	}
}

func main() {
	query := url.Values{"limit": {"1000"}}
	for {
		var page page
		if err := get("/api/v1/blacklist", query, &page); err != nil {
			log.Fatal(err)
		}
		for _, entry := range page.Domains {
			// Shared platforms are listed for information, not to be blocked.
			if entry.DoNotBlock == 0 {
				fmt.Println(entry.Domain)
			}
		}
		if page.NextCursor == nil {
			return
		}
		query.Set("cursor", *page.NextCursor)
	}
}
