use LWP::UserAgent;

my $answer = LWP::UserAgent->new->post(
    "https://payflow.example/api/v2/stkpush.php",
    "X-API-Key"    => "live_key",
    "X-API-Secret" => "live_secret",
    "Content-Type" => "application/json",
    Content        => '{"payment_account_id": 1, "phone": "0712345678", "amount": 100}',
);
print $answer->decoded_content, "\n";
