// cancelled_test.go
package shop

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os/exec"
	"strings"
	"testing"
)

type sandbox struct {
	BaseURL    string `json:"base_url"`
	ControlURL string `json:"control_url"`
	Key        string `json:"api_key"`
	Secret     string `json:"api_secret"`
	Account    int    `json:"payment_account_id"`
}

func startMomo(t *testing.T) (momo sandbox) {
	flags := strings.Fields("serve --ephemeral --port 0 --json --quiet --until-stdin-closes")
	command := exec.Command("momo", flags...)
	stdin, _ := command.StdinPipe()
	stdout, _ := command.StdoutPipe()
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stdin.Close(); command.Wait() })
	if err := json.NewDecoder(stdout).Decode(&momo); err != nil {
		t.Fatal("momo did not start: ", err)
	}
	return momo
}

func (momo sandbox) post(t *testing.T, url string, body map[string]any) (answer map[string]any) {
	content, _ := json.Marshal(body)
	request, _ := http.NewRequest("POST", url, bytes.NewReader(content))
	request.Header = http.Header{"Content-Type": {"application/json"}, "X-Api-Key": {momo.Key}, "X-Api-Secret": {momo.Secret}}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	json.NewDecoder(response.Body).Decode(&answer)
	return answer
}

func TestACustomerWhoCancelsIsNotCharged(t *testing.T) {
	momo := startMomo(t)
	momo.post(t, momo.ControlURL+"/clock", map[string]any{"freeze": true})
	momo.post(t, momo.ControlURL+"/rules", map[string]any{"outcome": "cancelled", "times": 1})
	order := map[string]any{"payment_account_id": momo.Account, "phone": "0712345678", "amount": 100}
	started := momo.post(t, momo.BaseURL+"/stkpush.php", order)
	momo.post(t, momo.ControlURL+"/clock", map[string]any{"advance": "3s"})
	query := map[string]any{"checkout_request_id": started["checkout_request_id"]}
	payment := momo.post(t, momo.BaseURL+"/status.php", query)
	if payment["status"] != "cancelled" {
		t.Fatal(payment)
	}
	audit, err := http.Get(momo.ControlURL + "/audit?over=true")
	if err != nil {
		t.Fatal(err)
	}
	defer audit.Body.Close()
	var report struct{ Findings []any }
	json.NewDecoder(audit.Body).Decode(&report)
	if len(report.Findings) > 0 {
		t.Fatal(report.Findings)
	}
}
