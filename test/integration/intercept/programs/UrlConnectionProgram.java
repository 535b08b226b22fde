import java.net.HttpURLConnection;
import java.net.URL;
import java.nio.charset.StandardCharsets;

class UrlConnectionProgram {
    public static void main(String[] words) throws Exception {
        URL url = new URL("https://payflow.example/api/v2/stkpush.php");
        HttpURLConnection connection = (HttpURLConnection) url.openConnection();
        connection.setDoOutput(true);
        connection.setRequestProperty("Content-Type", "application/json");
        connection.setRequestProperty("X-API-Key", "live_key");
        connection.setRequestProperty("X-API-Secret", "live_secret");
        String body = "{\"payment_account_id\": 1, \"phone\": \"0712345678\", \"amount\": 100}";
        connection.getOutputStream().write(body.getBytes(StandardCharsets.UTF_8));
        System.out.println(new String(connection.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
    }
}
