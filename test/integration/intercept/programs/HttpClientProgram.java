import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;

class HttpClientProgram {
    public static void main(String[] words) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create("https://payflow.example/api/v2/stkpush.php"))
            .header("Content-Type", "application/json")
            .header("X-API-Key", "live_key")
            .header("X-API-Secret", "live_secret")
            .expectContinue(true)
            .POST(HttpRequest.BodyPublishers.ofString("{\"payment_account_id\": 1, \"phone\": \"0712345678\", \"amount\": 100}"))
            .build();
        System.out.println(HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString()).body());
    }
}
