// Syncs a copy of the block list. Run it every few minutes.
package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
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

// saved is the copy: the entries by domain, as the server wrote them.
type saved struct {
	Cursor  string
	Entries map[string]json.RawMessage
}

type changes struct {
	Cursor       string
	More, Resync bool
	Added        []json.RawMessage
	Removed      []struct{ Domain string }
	SetHash      string `json:"set_hash"`
}

// setHash is the XOR of the first 16 bytes of the SHA-256 of every domain.
func setHash(entries map[string]json.RawMessage) string {
	var hash [16]byte
	for domain := range entries {
		digest := sha256.Sum256([]byte(domain))
		for i := range hash {
			hash[i] ^= digest[i]
		}
	}
	return hex.EncodeToString(hash[:])
}

// follow follows the feed to its end. It returns false if the copy must be rebuilt.
func (copy *saved) follow() (bool, error) {
	for {
		query := url.Values{"cursor": {copy.Cursor}, "limit": {"10000"}}
		var answer changes
		err := get("/api/v1/blacklist/changes", query, &answer)
		if err != nil || answer.Resync {
			return false, err
		}
		for _, removal := range answer.Removed {
			delete(copy.Entries, removal.Domain)
		}
		for _, entry := range answer.Added {
			var name struct{ Domain string }
			if err := json.Unmarshal(entry, &name); err != nil {
				return false, err
			}
			copy.Entries[name.Domain] = entry
		}
		copy.Cursor = answer.Cursor
		if !answer.More {
			return setHash(copy.Entries) == answer.SetHash, nil
		}
	}
}

func empty() saved {
	return saved{"begin", map[string]json.RawMessage{}}
}

func load(file string) (saved, error) {
	copy := empty()
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return copy, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &copy)
	}
	return copy, err
}

// save replaces the file by renaming, so that readers never see half a copy.
func (copy saved) save(file string) error {
	text, err := json.Marshal(copy)
	if err != nil {
		return err
	}
	if err := os.WriteFile(file+".new", text, 0o644); err != nil {
		return err
	}
	return os.Rename(file+".new", file)
}

func run() error {
	file := os.Getenv("WEIR_COPY")
	if file == "" {
		file = "weir-copy-go.json"
	}
	copy, err := load(file)
	if err != nil {
		return err
	}
	for tries := 0; tries < 4; tries++ {
		isSynced, err := copy.follow()
		if err != nil {
			return err
		}
		if isSynced {
			hash := setHash(copy.Entries)
			fmt.Printf("in sync: %d domains, set_hash %s\n", len(copy.Entries), hash)
			return copy.save(file)
		}
		copy = empty()
	}
	return errors.New("the copy does not match the list")
}

func main() {
	if err := run(); err != nil {
		log.Fatal(err)
	}
}
