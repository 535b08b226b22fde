require "json"
require "net/http"

answer = Net::HTTP.post(
  URI("https://payflow.example/api/v2/stkpush.php"),
  JSON.generate({ payment_account_id: 1, phone: "0712345678", amount: 100 }),
  { "X-API-Key" => "live_key", "X-API-Secret" => "live_secret", "Content-Type" => "application/json" }
)
puts answer.body
