/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.ZipFile;
import javax.xml.parsers.DocumentBuilderFactory;
import org.w3c.dom.Element;
import org.w3c.dom.Node;

/**
 * Checks what Maven Central requires of each module that is published: a POM that describes the
 * project, by itself and by Forebay's root POM, and jars of classes, sources and javadoc. Arguments:
 * the checkout, whose modules are built, and a Maven repository with them.
 */
final class Published {

  private static final List<String> OWN = List.of("name", "description");
  private static final List<String> INHERITED = List.of("url", "licenses", "developers", "scm");

  private Published() {}

  public static void main(String[] arguments) throws Exception {
    Path checkout = Path.of(arguments[0]);
    Path repository = Path.of(arguments[1]);
    Element root = project(checkout.resolve("pom.xml"));
    String version = text(root, "version");
    List<String> missing = new ArrayList<>();
    int modules = 0;
    for (Path folder : published(checkout, root)) {
      Element module = project(folder.resolve("pom.xml"));
      modules++;
      String artifact = text(module, "artifactId");
      Path directory = repository.resolve("io/forebay").resolve(artifact).resolve(version);
      String file = artifact + "-" + version;
      Path pom = directory.resolve(file + ".pom");
      if (Files.exists(pom)) {
        check(project(pom), root, artifact, version, missing);
      } else {
        missing.add(artifact + ": no POM of version " + version);
      }
      if (!text(module, "packaging").equals("pom")) {
        Path built = folder.resolve("target");
        for (Path jar :
            List.of(
                directory.resolve(file + ".jar"),
                built.resolve(file + "-sources.jar"),
                built.resolve(file + "-javadoc.jar"))) {
          if (!isJar(jar)) {
            missing.add(artifact + ": no jar " + jar);
          }
        }
      }
    }
    if (!missing.isEmpty() || modules < 20) {
      System.err.println("Of " + modules + " modules to publish, these are incomplete:");
      missing.forEach(System.err::println);
      System.exit(1);
    }
    System.out.println(modules + " modules can be published");
  }

  /** The folders of the root, whose description the others inherit, and of the modules for users. */
  private static List<Path> published(Path checkout, Element root) throws Exception {
    List<Path> folders = new ArrayList<>(List.of(checkout));
    for (Element module : children(child(root, "modules"))) {
      Path folder = checkout.resolve(module.getTextContent());
      Element properties = child(project(folder.resolve("pom.xml")), "properties");
      if (properties == null || !text(properties, "maven.deploy.skip").equals("true")) {
        folders.add(folder);
      }
    }
    return folders;
  }

  private static void check(
      Element pom, Element root, String artifact, String version, List<String> missing) {
    Element parent = child(pom, "parent");
    boolean inherits = parent != null && text(parent, "groupId").equals("io.forebay");
    for (String element : OWN) {
      if (text(pom, element).isEmpty()) {
        missing.add(artifact + ": no " + element + " in its POM");
      }
    }
    for (String element : INHERITED) {
      if (text(pom, element).isEmpty() && !(inherits && !text(root, element).isEmpty())) {
        missing.add(artifact + ": no " + element + " in its POM or that of the root");
      }
    }
    String own = inherits ? text(parent, "version") : text(pom, "version");
    if (!own.equals(version)) {
      missing.add(artifact + ": version " + own + " instead of " + version);
    }
  }

  private static boolean isJar(Path file) {
    try (ZipFile jar = new ZipFile(file.toFile())) {
      return jar.size() > 0;
    } catch (IOException e) {
      return false;
    }
  }

  private static Element project(Path pom) throws Exception {
    return DocumentBuilderFactory.newDefaultInstance()
        .newDocumentBuilder()
        .parse(pom.toFile())
        .getDocumentElement();
  }

  private static List<Element> children(Element element) {
    return Stream.iterate(element.getFirstChild(), it -> it != null, Node::getNextSibling)
        .filter(Element.class::isInstance)
        .map(Element.class::cast)
        .toList();
  }

  private static Element child(Element element, String name) {
    return children(element).stream()
        .filter(it -> it.getTagName().equals(name))
        .findFirst()
        .orElse(null);
  }

  /** The text of a child, without white space around it; empty if there is none. */
  private static String text(Element element, String name) {
    Element child = child(element, name);
    return child == null ? "" : child.getTextContent().strip();
  }
}
