/** A client whose author guessed the paths. */
const headers = { "Content-Type": "application/json", "X-API-Key": "live_key", "X-API-Secret": "live_secret" };

for (const path of ["stkpush", "checkstatus.php", "status"]) {
  const body = JSON.stringify({ payment_account_id: 1, phone: "0712345678", amount: 10 });
  const response = await fetch(`https://payflow.example/api/v2/${path}`, { method: "POST", headers, body });
  console.log(path, response.status);
}
